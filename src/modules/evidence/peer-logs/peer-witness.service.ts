import { Injectable } from '@nestjs/common';
import { type Checkpoint, logName, parseAnyCheckpoint } from '../../../evidence/checkpoint.js';
import type { VerifyingKey } from '../../../evidence/signing-key.js';
import { readWitnessRequest, type WitnessRequest } from '../../../evidence/witness-request.js';
import { CrossTenant, type Query } from '../../../common/tenancy/cross-tenant.js';
import { PeerAlarms } from './peer-alarms.service.js';
import { PeerExchange } from './peer-exchange.service.js';
import { forkOf, isFork, judgeRequest, ownLines, type WitnessVerdict } from './peer-heads.rules.js';
import { PeerHeads } from './peer-heads.service.js';
import { logKeysOf, peerChain } from './peer-keys.rules.js';
import { CheckpointMalformed, CheckpointRefused, PeerLogKeyUnknown, PeerLogUnknown } from './peer-logs.problems.js';
import { PeerLogsStore } from './peer-logs.store.js';
import type { PeerLog } from './peer-logs.types.js';

/** The answer of a witness: its line, or the size that it has signed last. */
export type WitnessReply = { readonly line: string } | { readonly size: number };

/** What came of a request within the transaction that looked at the log. */
interface Outcome {
  readonly reply?: WitnessReply;
  readonly refusal?: PeerLogUnknown | PeerLogKeyUnknown | CheckpointMalformed | CheckpointRefused;
  /** The log of which its peer is to be asked: for newer keys or another epoch, or whether it still only grows. */
  readonly inDoubt?: PeerLog;
  /** The log that was found out of order. */
  readonly stopped?: string;
}

/** This server as a witness of the logs of its peers (C2SP tlog-witness). */
@Injectable()
export class PeerWitness {
  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly heads: PeerHeads,
    private readonly alarms: PeerAlarms,
    private readonly exchange: PeerExchange,
  ) {}

  /** @throws CheckpointMalformed, PeerLogUnknown, PeerLogKeyUnknown, CheckpointRefused */
  async addCheckpoint(body: Uint8Array): Promise<WitnessReply> {
    const { request, head } = readRequest(body);
    const outcome = await this.crossTenant.run('watch peer log', (query) => this.look(query, request, head));
    if (outcome.stopped !== undefined) await this.alarms.raise(outcome.stopped);
    if (outcome.inDoubt) this.exchange.refresh(outcome.inDoubt);
    if (outcome.refusal) throw outcome.refusal;
    return outcome.reply!;
  }

  /** The newest checkpoint that was cosigned of a log, with that line. @throws PeerLogUnknown */
  async readCheckpoint(originHash: string): Promise<string> {
    const log = await this.crossTenant.run('watch peer log', (query) =>
      new PeerLogsStore(query).findByHash(originHash),
    );
    if (!log?.checkpoint || log.cosignature === null)
      throw new PeerLogUnknown({}, 'No checkpoint of a log with this origin was cosigned here');
    return log.checkpoint + log.cosignature;
  }

  /** In the order of the checks of tlog-witness; what is noticed stays noticed whatever is answered. */
  private async look(query: Query, request: WitnessRequest, head: Checkpoint): Promise<Outcome> {
    const store = new PeerLogsStore(query);
    const { origin } = head;
    const [found, other] = await store.listWatched(logName(origin));
    if (!found || other) return { refusal: unknownOrigin(origin, other ? SEVERAL : NOBODY) };
    const log = await store.lock(found.logId);
    if (log.head && log.head.origin !== origin) return { refusal: unknownOrigin(origin, epochOf(log)), inDoubt: log };
    const lines = ownLines(head, keysOf(log));
    if (lines.length === 0) return { refusal: keyUnknown(origin), inDoubt: log };
    const verdict = judgeRequest(log.head, head, request);
    if (log.state !== 'ok' || log.forkedOrigin === origin) return { refusal: refused(origin, OUT_OF_ORDER) };
    if (log.head && isFork(log.head, head)) {
      await store.stop(log.logId, forkOf(head), request.checkpoint);
      return { ...answerOf(verdict, origin), stopped: log.logId };
    }
    if (verdict.status !== 200) return { ...answerOf(verdict, origin), ...doubtOf(log, head, verdict) };
    const witness = await this.heads.findWitness(query, log, origin);
    if (typeof witness === 'string') return { refusal: unknownOrigin(origin, witness) };
    const { line } = await this.heads.accept(query, log, head, lines);
    return { reply: { line: line! } };
  }
}

const keysOf = ({ pinned, statements }: PeerLog): VerifyingKey[] =>
  logKeysOf(peerChain(pinned, statements).chain, Date.now() / 1000);

function readRequest(body: Uint8Array): { request: WitnessRequest; head: Checkpoint } {
  try {
    const request = readWitnessRequest(body);
    return { request, head: parseAnyCheckpoint(request.checkpoint).checkpoint };
  } catch (error) {
    throw new CheckpointMalformed({}, (error as Error).message);
  }
}

function answerOf(verdict: Exclude<WitnessVerdict, { status: 200 }>, origin: string): Outcome;
function answerOf(verdict: WitnessVerdict, origin: string): Outcome;
function answerOf(verdict: WitnessVerdict, origin: string): Outcome {
  if (verdict.status === 409) return { reply: { size: verdict.size } };
  if (verdict.status === 400) return { refusal: new CheckpointMalformed({}, verdict.reason) };
  return { refusal: refused(origin, verdict.status === 422 ? verdict.reason : OUT_OF_ORDER) };
}

/** A head of fewer leaves, or one that was not shown to extend the last: no proof, since anybody may have sent it. */
const doubtOf = (log: PeerLog, { size }: Checkpoint, { status }: WitnessVerdict): Pick<Outcome, 'inDoubt'> =>
  status === 422 || (log.head !== null && size < log.head.size) ? { inDoubt: log } : {};

const NOBODY = 'No peer with such a log is known here: svc peer-log pin';
const SEVERAL = 'Several logs with this name are known here: each needs an SVC_LOG_ORIGIN of its own';
const OUT_OF_ORDER = 'Heads of this log were seen that do not go together; it is cosigned no more under this origin';
const epochOf = ({ head }: PeerLog): string => `The log is known here by its epoch ${head!.origin}`;

const unknownOrigin = (origin: string, reason: string): PeerLogUnknown => new PeerLogUnknown({ origin }, reason);
const refused = (origin: string, reason: string): CheckpointRefused => new CheckpointRefused({ origin }, reason);
const keyUnknown = (origin: string): PeerLogKeyUnknown =>
  new PeerLogKeyUnknown(
    { origin },
    'No key that is known here for the log signed it, or one of its lines does not hold',
  );
