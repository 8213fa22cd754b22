import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { logName, parseAnyCheckpoint, type Checkpoint } from '../../../evidence/checkpoint.js';
import type { KeyChain } from '../../../evidence/key-chain.js';
import { isOfLog, openWitnessStatement } from '../../../evidence/witness-statement.js';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { CrossTenant, type Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { PeerAlarms } from './peer-alarms.service.js';
import { followEpochs } from './peer-epochs.rules.js';
import { type Finding, judgeHead, ownLines } from './peer-heads.rules.js';
import { PeerHeads } from './peer-heads.service.js';
import { logKeysOf, peerChain, type Pinned, readPinned } from './peer-keys.rules.js';
import { PeerLogPeerRow } from './peer-log-peer.entity.js';
import { peerLogEntry, WATCH } from './peer-logs.events.js';
import {
  CheckpointMalformed,
  PeerLogBusy,
  PeerLogKeyUnknown,
  PeerLogStopped,
  PeerLogUnknown,
} from './peer-logs.problems.js';
import { PeerLogsStore } from './peer-logs.store.js';
import type { Observed, PeerLog, PeerLogState, PeerName, PeerNews, ShownHead } from './peer-logs.types.js';

/** What a head came to, within the transaction that looked at it. */
type Outcome = { readonly observed: Observed; readonly lost?: number } | { readonly finding: Finding } | 'outdated';

/** What is given to {@link PeerLogs.pin}. */
export interface PinRequest extends PeerName {
  /** Note verifier keys of the log: its first key (`svc key pin`), or keys that sign its checkpoints. */
  readonly verifierKeys: readonly string[];
  /** Where the peer's daemon answers. */
  readonly url?: string | undefined;
}

/** The logs of peers: which keys they have, and that they only grow (D51). */
@Injectable()
export class PeerLogs {
  private readonly peers: TenantRepository<PeerLogPeerRow>;

  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly heads: PeerHeads,
    private readonly alarms: PeerAlarms,
  ) {
    this.peers = new TenantRepository(tenancy, PeerLogPeerRow);
  }

  /**
   * Says by which keys the log of a peer is known, in the open unit of work or one of its own. Whoever has the peer
   * already has it with these keys from now on.
   * @throws ValidationFailed for keys that are none
   */
  async pin(by: Actor, { tenantId, peerId, verifierKeys, url }: PinRequest): Promise<{ logId: string; name: string }> {
    const pinned = readKeys(verifierKeys);
    const logId = await this.crossTenant.run('pin peer log', async (query) => {
      const store = new PeerLogsStore(query);
      await store.lockAll();
      const current = await store.findOf({ tenantId, peerId });
      const known = current?.name === pinned.name ? current : await findShared(store, pinned);
      const id = known?.logId ?? uuid();
      if (known) await store.pin(id, pinned.keys, url ?? null);
      else await store.insert(id, { ...pinned, url: url ?? null });
      return id;
    });
    await this.tenancy.run(tenantId, async () => {
      await this.peers.put({ peerId, logId, pinnedBy: by.principal, pinnedAt: () => 'now()' }, [
        'logId',
        'pinnedBy',
        'pinnedAt',
      ]);
      const facts = { log: pinned.name, verifierKeys: pinned.keys };
      await this.audit.record(by, peerLogEntry('pinned', peerId, facts));
    });
    return { logId, name: pinned.name };
  }

  /** The log of the peer is not watched for it any more, in the open unit of work or one of its own. */
  unpin(by: Actor, { tenantId, peerId }: PeerName): Promise<boolean> {
    return this.tenancy.run(tenantId, async () => {
      if ((await this.peers.delete({ peerId })) === 0) return false;
      await this.audit.record(by, peerLogEntry('unpinned', peerId, {}));
      return true;
    });
  }

  /** @throws PeerLogStopped */
  async expectExchange(peer: PeerName): Promise<void> {
    const found = await this.readState(peer);
    if (found && found.state !== 'ok') throw stopped(peer, found);
  }

  /** @throws PeerLogUnknown */
  async find(peer: PeerName): Promise<PeerLog> {
    const log = await this.crossTenant.run('watch peer log', (query) => new PeerLogsStore(query).findOf(peer));
    if (!log) throw noLog(peer);
    return log;
  }

  /**
   * Looks at what a peer itself shows as its newest head: verifies that it is signed by a key of the log and extends
   * the last one seen, keeps it and cosigns it. One that does not is noticed: an incident is opened, and nothing is
   * exchanged with the peer until an operator clears it.
   * @throws PeerLogUnknown, PeerLogKeyUnknown, PeerLogStopped; CheckpointMalformed; PeerLogBusy when somebody else
   * looked meanwhile
   */
  async observe(peer: PeerName, shown: ShownHead): Promise<Observed> {
    const head = readCheckpoint(shown.checkpoint);
    const { logId } = await this.find(peer);
    const { outcome, log } = await this.crossTenant.run('watch peer log', (query) =>
      this.look(query, { logId, peer, head, shown }),
    );
    if (outcome === 'outdated') throw new PeerLogBusy({ origin: head.origin }, 'Look at its newest head again');
    if ('finding' in outcome) {
      await this.alarms.raise(logId);
      throw stopped(peer, { ...stateOf(log), ...outcome.finding, since: new Date() });
    }
    if (outcome.lost !== undefined) await this.noteRestore(log, outcome.observed, outcome.lost);
    return outcome.observed;
  }

  /** Keeps the statements that a peer shows of its keys, and the witness that it is by them. */
  async learn(query: Query, log: PeerLog, { statements: shown, witness }: Pick<PeerNews, 'statements' | 'witness'>) {
    const { chain, statements } = peerChain(log.pinned, log.statements, shown);
    const witnessKey = witness === null ? log.witnessKey : (readWitness(log, witness, chain) ?? log.witnessKey);
    if (witnessKey !== log.witnessKey || String(statements) !== String(log.statements))
      await new PeerLogsStore(query).learn(log.logId, statements, witnessKey);
    return { chain, witnessKey };
  }

  private async look(
    query: Query,
    { logId, peer, head, shown }: { logId: string; peer: PeerName; head: Checkpoint; shown: ShownHead },
  ): Promise<{ outcome: Outcome; log: PeerLog }> {
    const store = new PeerLogsStore(query);
    const log = await store.lock(logId);
    if (log.state !== 'ok') throw stopped(peer, stateOf(log));
    if (head.origin !== shown.origin || logName(head.origin) !== log.name)
      throw new PeerLogUnknown({ origin: head.origin, peer_id: peer.peerId }, `The log of the peer is ${log.name}`);
    const { news = NO_NEWS } = shown;
    const { chain } = await this.learn(query, log, news);
    const lines = ownLines(head, logKeysOf(chain, Date.now() / 1000));
    if (lines.length === 0) throw keyUnknown(head.origin);
    const judged = judge({ log, head, shown, news, chain });
    if (judged === 'outdated') return { outcome: judged, log };
    if ('state' in judged) {
      await store.stop(logId, judged, shown.checkpoint);
      return { outcome: { finding: judged }, log };
    }
    return { outcome: { ...judged, observed: await this.heads.accept(query, log, head, lines) }, log };
  }

  private async noteRestore(log: PeerLog, now: Observed, lostLeaves: number): Promise<void> {
    const { logId, name } = log;
    const peers = await this.crossTenant.run('watch peer log', (query) => new PeerLogsStore(query).listPeers(logId));
    const facts = { log: name, origin: now.origin, previousOrigin: log.head!.origin, lostLeaves };
    for (const { tenantId, peerId } of peers)
      await this.tenancy.run(tenantId, () => this.audit.record(WATCH, peerLogEntry('restored', peerId, facts)));
  }

  /** Undefined while nobody pinned a log for the peer. */
  private readState({ tenantId, peerId }: PeerName): Promise<LogState | undefined> {
    return this.tenancy.run(tenantId, async () => {
      const row = await this.peers.find({ peerId });
      return row && (await this.tenancy.query<LogState>(STATE, [row.logId]))[0];
    });
  }
}

/** @throws ValidationFailed */
function readKeys(verifierKeys: readonly string[]): Pinned {
  try {
    return readPinned(verifierKeys);
  } catch (error) {
    const remedy = '"svc key pin" on the other server prints one';
    throw invalid('body.log_keys', `must be note verifier keys of one log: ${(error as Error).message}; ${remedy}`);
  }
}

const NO_NEWS: PeerNews = { statements: [], witness: null, epochs: [], epochPath: [] };
const STATE = 'select coalesce(origin, name) as origin, state, reason, since from peer_log where log_id = $1';

interface LogState {
  readonly origin: string;
  readonly state: PeerLogState;
  readonly reason: string | null;
  readonly since: Date | null;
}

const stateOf = ({ head, name, state, reason, since }: PeerLog): LogState => ({
  origin: head?.origin ?? name,
  ...{ state, reason, since },
});

function judge(given: {
  log: PeerLog;
  head: Checkpoint;
  shown: ShownHead;
  news: PeerNews;
  chain: KeyChain;
}): { lost?: number } | Finding | 'outdated' {
  const { log, head, shown, news, chain } = given;
  if (log.head && log.head.origin !== head.origin) return followEpochs(log.head, head, news, chain);
  const judgement = judgeHead(log.head, head, shown);
  return judgement === 'extends' ? {} : judgement;
}

/** A log that others have pinned by one of these keys. */
async function findShared(store: PeerLogsStore, { name, keys }: Pinned): Promise<PeerLog | undefined> {
  const named = await store.listNamed(name);
  return named.find(({ pinned }) => pinned.some((key) => keys.includes(key)));
}

/** @throws CheckpointMalformed */
function readCheckpoint(text: string): Checkpoint {
  try {
    return parseAnyCheckpoint(text).checkpoint;
  } catch (error) {
    throw new CheckpointMalformed({}, (error as Error).message);
  }
}

/** @returns undefined for a note that does not hold */
function readWitness({ name }: PeerLog, note: string, chain: KeyChain): string | undefined {
  try {
    const statement = openWitnessStatement(note, logKeysOf(chain, Date.now() / 1000));
    return isOfLog(statement, name) ? statement.verifierKey : undefined;
  } catch {
    return undefined;
  }
}

const keyUnknown = (origin: string): PeerLogKeyUnknown =>
  new PeerLogKeyUnknown(
    { origin },
    'No key that is trusted for the log signed it, or one of its lines does not hold. Where the log has a new key, its peer has to be asked (svc peer-log look), or the key pinned',
  );

function stopped({ peerId }: PeerName, { origin, state, reason, since }: LogState): PeerLogStopped {
  const facts = { peer_id: peerId, origin, state, since: since?.toISOString() ?? null };
  return new PeerLogStopped(
    facts,
    `${reason ?? state}. Nothing is exchanged with the peer until an operator has looked at it: svc peer-log clear ${origin}`,
  );
}

const noLog = ({ peerId }: PeerName): PeerLogUnknown =>
  new PeerLogUnknown({ peer_id: peerId }, 'No log is pinned for this peer: svc peer-log pin');
