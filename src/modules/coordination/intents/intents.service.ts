import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { namedPassport } from '../../../common/bearer-auth/named-passport.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { storedResource } from '../punchcards/resources.types.js';
import type { IntentDraft, IntentRow } from './intent.entity.js';
import type {
  ActiveIntents,
  ActiveIntentsQuery,
  AnnounceReply,
  AnnounceRequest,
  IntentOverlap,
} from './intents.dto.js';
import { intentAnnounced, intentCleared } from './intents.events.js';
import { IntentOfAnother } from './intents.problems.js';
import { costOf, mayReplace, meetingsOf, readPaths, type Intended } from './intents.rules.js';
import { IntentsStore } from './intents.store.js';
import { intentOf, overlapOf } from './intents.views.js';

/** Peers that an answer shows and compares with. */
const MAX_PEERS = 200;
const MAX_OVERLAPS = 500;
/** Sessions of a passport that stay announced with SVCD_EPHEMERAL_GC (memory-daemon.md 4.12). */
const SESSIONS_A_PASSPORT = 32;
/** What comparing may cost in all, and before others get a turn, in units of some microseconds. */
const MAX_COST = 200_000;
const TURN_COST = 2_000;

/** What agents say that they are about to do, and where that meets what others are about to do. */
@Injectable()
export class IntentsService {
  private readonly isCapped: boolean;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: IntentsStore,
    private readonly outbox: Outbox,
    @Inject(SETTINGS) { daemon }: Settings,
  ) {
    this.isCapped = daemon.ephemeralGc;
  }

  /** @throws PassportHeaderMismatch, IntentOfAnother; ValidationFailed for a path that is none */
  announce(caller: DaemonCaller, request: AnnounceRequest): Promise<AnnounceReply> {
    const draft = draftOf(caller, request);
    return this.tenants.write(caller, undefined, async () => {
      await this.store.lock(draft);
      await this.expectOwn(caller, draft);
      if (request.ttl_seconds === 0) return this.clear(caller, draft);
      const row = await this.store.put(draft, request.ttl_seconds);
      await this.capSessions(caller, row);
      const { peers, isMore } = await this.listPeers(draft);
      const found = await findOverlaps(row, peers);
      this.outbox.emit(intentAnnounced(row, caller.principal, found.overlaps.length));
      return {
        intent: intentOf(row),
        overlaps: found.overlaps,
        live_peer_intents: peers.map(intentOf),
        cleared: false,
        truncated: isMore || found.isCut,
      };
    });
  }

  listActive(caller: DaemonCaller, { project_id, limit, cursor }: ActiveIntentsQuery): Promise<ActiveIntents> {
    const after = decodeCursor(cursor, ['text']);
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.store.listLive(project_id, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, ({ sessionId }) => [sessionId]);
      return { intents: page.map(intentOf), count: page.length, next_cursor };
    });
  }

  /** @throws IntentOfAnother */
  private async expectOwn(caller: DaemonCaller, { sessionId }: IntentDraft): Promise<void> {
    const live = await this.store.findLive(sessionId);
    if (!live || mayReplace(live, caller)) return;
    const expires = live.expiresAt.toISOString();
    throw new IntentOfAnother(
      { session_id: sessionId, by_passport: live.byPassport, expires_at: expires },
      `Another announces for the session ${sessionId}, until ${expires}; announce under a session_id of your own`,
    );
  }

  private async clear(caller: DaemonCaller, draft: IntentDraft): Promise<AnnounceReply> {
    const removed = await this.store.remove(draft.sessionId);
    if (removed) this.outbox.emit(intentCleared(removed, caller.principal));
    const { peers, isMore } = await this.listPeers(draft);
    const live_peer_intents = peers.map(intentOf);
    return { intent: null, overlaps: [], live_peer_intents, cleared: removed !== undefined, truncated: isMore };
  }

  private async capSessions(caller: DaemonCaller, { byPassport }: IntentRow): Promise<void> {
    if (!this.isCapped || byPassport === null) return;
    const isOwn = (row: IntentRow): boolean => mayReplace(row, caller);
    const ended = await this.store.removeBeyond(byPassport, SESSIONS_A_PASSPORT, isOwn);
    for (const row of ended) this.outbox.emit(intentCleared(row, caller.principal));
  }

  private async listPeers(draft: IntentDraft): Promise<{ peers: IntentRow[]; isMore: boolean }> {
    const rows = await this.store.listPeers(draft, MAX_PEERS + 1);
    return { peers: rows.slice(0, MAX_PEERS), isMore: rows.length > MAX_PEERS };
  }
}

function draftOf(caller: DaemonCaller, request: AnnounceRequest): IntentDraft {
  const { session_id: sessionId, project_id: projectId, execplan_slug, milestone, deploy_target, note } = request;
  return {
    ...{ intentId: uuid(), sessionId, projectId, announcedBy: caller.principal },
    byPassport: namedPassport(caller, request.by_passport, 'by_passport') ?? null,
    ...{ execplanSlug: execplan_slug ?? null, milestone: milestone ?? null, deployTarget: deploy_target ?? null },
    ...{ paths: readPaths(request.paths).map(({ text }) => text), note: note ?? null },
  };
}

/** Peer by peer, newest first, until enough is found or it has taken long enough. */
async function findOverlaps(
  own: IntentRow,
  peers: IntentRow[],
): Promise<{ overlaps: IntentOverlap[]; isCut: boolean }> {
  const overlaps: IntentOverlap[] = [];
  const mine = intendedOf(own);
  let [spent, turn] = [0, 0];
  for (const peer of peers) {
    const theirs = intendedOf(peer);
    const cost = costOf(mine, theirs);
    spent += cost;
    turn += cost;
    if (spent > MAX_COST || overlaps.length >= MAX_OVERLAPS) return { overlaps, isCut: true };
    if (turn > TURN_COST) {
      await nextTurn();
      turn = 0;
    }
    overlaps.push(...meetingsOf(mine, theirs).map((meeting) => overlapOf(peer, meeting)));
  }
  return { overlaps, isCut: false };
}

const intendedOf = ({ paths, ...rest }: IntentRow): Intended => ({ ...rest, paths: paths.map(storedResource) });
