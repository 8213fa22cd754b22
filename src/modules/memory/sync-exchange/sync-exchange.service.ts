import { Injectable } from '@nestjs/common';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { PeerDirection } from '../../../common/problem/peer-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { PeerClient } from '../peers/peer-client.service.js';
import { listed, reachOf, rightsOf } from '../peers/peer-rows.service.js';
import { PeerRowsService } from '../peers/peer-rows.service.js';
import type { Direction, KnownTarget } from '../peers/peers.types.js';
import { SyncManifestService } from '../sync/sync-manifest.service.js';
import { SyncPagesService } from '../sync/sync-pages.service.js';
import { SyncPromotionsService } from '../sync/sync-promotions.service.js';
import { ExchangeLogs } from './exchange-logs.service.js';
import { ExchangePasses } from './exchange-passes.js';
import { type ExchangeRow, ExchangeProgressStore } from './exchange-progress.store.js';
import { isEqual, Rounds } from './exchange-rounds.js';
import { meet } from './exchange.rules.js';
import { syncCompleted } from './exchange.events.js';
import type {
  Exchanged,
  ExchangeName,
  ExchangeReach,
  LogLook,
  Manifest,
  Progress,
  SyncEnd,
  Way,
} from './exchange.types.js';
import { LocalEnd } from './local-end.js';
import { RemoteEnd } from './remote-end.js';

export interface ExchangeOptions {
  readonly report?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /** Delegations under which the peer is asked. */
  readonly delegation?: string | undefined;
}

/** Both ends under one reach, as they are at the start. */
interface Opening {
  readonly name: ExchangeName;
  readonly target: KnownTarget;
  readonly remote: RemoteEnd;
  readonly reach: ExchangeReach;
  readonly local: LocalEnd;
  readonly remoteManifest: Manifest;
  readonly localManifest: Manifest;
}

/** Brings a tenant's memory from a peer to here, or from here to a peer (memory-daemon.md 4.7; docs/sync.md). */
@Injectable()
export class SyncExchangeService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly rows: PeerRowsService,
    private readonly client: PeerClient,
    private readonly logs: ExchangeLogs,
    private readonly manifests: SyncManifestService,
    private readonly pages: SyncPagesService,
    private readonly promotions: SyncPromotionsService,
    private readonly store: ExchangeProgressStore,
    private readonly audit: AuditTrail,
    private readonly outbox: Outbox,
  ) {}

  /**
   * An exchange that was cut off, at whatever place, goes on where it was.
   * @throws PeerNotFound, PeerRevoked, PeerWithoutAddress, PeerDirection, PeerLogStopped, PeerFailure
   */
  async exchange(by: Actor, name: ExchangeName, options: ExchangeOptions = {}): Promise<Exchanged> {
    const startedAt = new Date();
    const peer = await this.readPeer(name);
    await this.logs.expectExchange(name);
    const before = await this.store.begin(name);
    try {
      const opening = await this.open(by, name, { ...peer, before, options });
      const exchanged = await this.run(by, opening, startedAt, options);
      const { state, receipt_id, unapplied_count, counts } = exchanged;
      const taken = (counts['apply'] ?? 0) + (counts['tombstone'] ?? 0) + (counts['conflict_kept'] ?? 0);
      await this.store.end(name, { state, message: null, taken, refused: unapplied_count, receiptId: receipt_id });
      return exchanged;
    } catch (error) {
      const { message } = error as Error;
      await this.store.end(name, { state: 'failed', message, taken: 0, refused: 0, receiptId: null });
      throw error;
    } finally {
      this.outbox.announce();
    }
  }

  list(tenantId: string, peerId: string | undefined): Promise<ExchangeRow[]> {
    return this.store.list(tenantId, peerId);
  }

  private readPeer({ tenantId, peerId, way }: ExchangeName): Promise<{ target: KnownTarget; own: ExchangeReach }> {
    return this.tenancy.run(tenantId, async () => {
      const { direction, entityPrefixes, collections, scopes } = await this.rows.read(peerId);
      const target = await this.rows.readTarget(peerId);
      if (direction !== 'both' && direction !== way) throw wrongWay(peerId, direction, way);
      const rights = rightsOf({ entity_prefixes: entityPrefixes, collections, scopes });
      return { target, own: reachOf(peerId, rights, direction) };
    });
  }

  /** Two requests where the peer opens what it opened the last time and nothing is to be done. */
  private async open(by: Actor, name: ExchangeName, given: Given): Promise<Opening> {
    const { target, own, before, options } = given;
    const { delegation, signal } = options;
    const remote = new RemoteEnd(this.client.open({ ...target, delegation }), target, signal);
    if (delegation !== undefined) return this.openDelegated(by, name, { target, own, remote });
    const known = knownReach(before);
    const opened = known ?? (await this.shakeHands(name, remote));
    const remoteManifest = await remote.readManifest();
    const first = await this.openLocal(by, name, meet(own, opened));
    const opening = { name, target, remote, remoteManifest, ...first };
    if (!known || isEqual(remoteManifest, first.localManifest)) return opening;
    const now = meet(own, await this.shakeHands(name, remote));
    return { ...opening, ...(await this.openLocal(by, name, now)) };
  }

  /** What a delegation opens is asked each time, and not kept: it is not what the peer opens to this daemon itself. */
  private async openDelegated(
    by: Actor,
    name: ExchangeName,
    { target, own, remote }: Pick<Given, 'target' | 'own'> & { remote: RemoteEnd },
  ): Promise<Opening> {
    const opened = await askReach(name, remote);
    const remoteManifest = await remote.readManifest();
    return { name, target, remote, remoteManifest, ...(await this.openLocal(by, name, meet(own, opened))) };
  }

  private async openLocal(by: Actor, { tenantId, peerId }: ExchangeName, reach: ExchangeReach) {
    const parts = { manifests: this.manifests, pages: this.pages, promotions: this.promotions };
    const rights = { mayRead: true, mayWrite: true, mayHold: true };
    const local = new LocalEnd(parts, by, tenantId, { ...reach, peerId, ...rights });
    return { reach, local, localManifest: await local.readManifest() };
  }

  private async shakeHands(name: ExchangeName, remote: RemoteEnd): Promise<ExchangeReach> {
    const reach = await askReach(name, remote);
    const { entity_prefixes, collections } = listed(reach);
    await this.store.keepReach(name, entity_prefixes, collections);
    return reach;
  }

  private async run(
    by: Actor,
    opening: Opening,
    startedAt: Date,
    { report = () => undefined }: ExchangeOptions,
  ): Promise<Exchanged> {
    const { name, target, remote, local, reach, remoteManifest, localManifest } = opening;
    const isIdle = isEqual(remoteManifest, localManifest);
    const log = await this.logs.look(target, remoteManifest.checkpoint, isIdle);
    const [source, into]: SyncEnd[] = name.way === 'pull' ? [remote, local] : [local, remote];
    const manifests =
      name.way === 'pull'
        ? { source: remoteManifest, target: localManifest }
        : { source: localManifest, target: remoteManifest };
    const passes = new ExchangePasses({ name, source: source!, target: into!, report }, this.store);
    const rounds = new Rounds({ name, source: source!, target: into!, reach, store: this.store, passes });
    const collections = await rounds.run(manifests);
    return this.conclude(by, { name, log, passes, collections, remote, startedAt });
  }

  private async conclude(by: Actor, ended: Ended): Promise<Exchanged> {
    const { name, log, passes, collections, remote, startedAt } = ended;
    const { outcome } = passes;
    const state = collections.some((one) => one.state === 'unequal')
      ? 'unequal'
      : collections.some((one) => one.state === 'complete')
        ? 'complete'
        : 'equal';
    const exchanged = {
      schema: 'svc.sync_exchange/1' as const,
      ...({ tenant_id: name.tenantId, peer_id: name.peerId, direction: name.way, state, log, collections } as const),
      ...{ counts: Object.fromEntries(outcome.counts), unapplied: outcome.unapplied },
      ...{ unapplied_count: outcome.unappliedCount, requests: remote.requests, started_at: startedAt.toISOString() },
    };
    const receipt_id = outcome.isSomething
      ? await this.tenancy.run(
          name.tenantId,
          async () => (await this.audit.record(by, syncCompleted(exchanged))).receiptId,
        )
      : null;
    return { ...exchanged, receipt_id, ended_at: new Date().toISOString() };
  }
}

interface Given {
  target: KnownTarget;
  own: ExchangeReach;
  before: ExchangeRow;
  options: ExchangeOptions;
}

interface Ended {
  name: ExchangeName;
  log: LogLook;
  passes: ExchangePasses;
  collections: Exchanged['collections'];
  remote: RemoteEnd;
  startedAt: Date;
}

async function askReach({ way }: ExchangeName, remote: RemoteEnd): Promise<ExchangeReach> {
  const opened = await remote.shakeHands(way === 'pull' ? 'reads' : 'writes');
  return rightsOf({ ...opened, scopes: [] });
}

const knownReach = ({ entity_prefixes, collections }: ExchangeRow): ExchangeReach | undefined =>
  entity_prefixes === null ? undefined : rightsOf({ entity_prefixes, collections, scopes: [] });

const wrongWay = (peerId: string, direction: Direction, way: Way): PeerDirection =>
  new PeerDirection(
    { peer_id: peerId, direction },
    `The direction of the peer ${peerId} is ${direction}, so that nothing is ${way === 'pull' ? 'taken from' : 'given to'} it; revoke it and add it with --direction ${way} or both`,
  );
