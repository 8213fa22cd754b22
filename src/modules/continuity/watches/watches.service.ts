import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { WebhooksService } from '../../events/outbox/webhooks/webhooks.service.js';
import { WatchTargetsService, type FoundTarget } from './watch-targets.service.js';
import type {
  AlertList,
  AlertQuery,
  Watch,
  WatchAlert,
  WatchCreated,
  WatchList,
  WatchListQuery,
  WatchRequest,
} from './watches.dto.js';
import { WatchExists, WatchLimitReached, WatchUnknown } from './watches.problems.js';
import { passageKey } from './watches.rules.js';
import { WatchesStore, type AlertRow, type WatchRow } from './watches.store.js';

/**
 * Watches of a tenant at once: of all kinds, and of queries, each of which is asked again after every change it may
 * concern.
 */
const MAX_WATCHES = 2_000;
const MAX_QUERIES = 100;

/** Makes, lists and ends watches, and shows what they have noticed. */
@Injectable()
export class WatchesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: WatchesStore,
    private readonly targets: WatchTargetsService,
    private readonly webhooks: WebhooksService,
    private readonly outbox: Outbox,
  ) {}

  /** @throws ValidationFailed, WatchTargetUnknown, WatchExists, WatchLimitReached */
  async record(caller: TenantCaller, request: WatchRequest): Promise<WatchCreated> {
    const snapshot = await this.store.snapshot();
    const target = await this.targets.read(request);
    await this.holdPlace(target);
    const watchId = uuid();
    const { agentId, note = null, webhookUrl } = request;
    const { sources, ...named } = target;
    const watch = { watchId, principal: caller.principal, agentId, note, ...named };
    const known = await this.store.findSame(watch);
    if (known) throw new WatchExists({ watchId: known }, `It is watch ${known}; end it to create it again`);
    await this.store.record(watch, snapshot);
    await this.store.recordSources(watchId, sources);
    if (target.query) await this.store.recordSeen(watchId, (await this.targets.search(target.query)).map(passageKey));
    const { targetType, targetId } = target;
    await this.outbox.emit({
      kind: 'watch.created',
      subject: watchId,
      data: { watchId, agentId, targetType, targetId, actor: caller.principal },
    });
    const shown = watchOf((await this.store.find(watchId))!);
    if (webhookUrl === undefined) return { ...shown, webhook: null };
    return { ...shown, webhook: await this.webhooks.bind(caller, { url: webhookUrl, watchId }, 'body.webhookUrl') };
  }

  list(caller: TenantCaller, { limit, cursor, targetType, ...rest }: WatchListQuery): Promise<WatchList> {
    const after = decodeCursor(cursor, ['bigint'])?.[0];
    const filter = { ...rest, targetType: targetType === 'artefact' ? ('artifact' as const) : targetType };
    return this.tenancy.run(caller.tenantId, async () => {
      const rows = await this.store.list(filter, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.position]);
      return { watches: page.map(watchOf), next_cursor };
    });
  }

  listAlerts(caller: TenantCaller, watchId: string, { limit, cursor, since }: AlertQuery): Promise<AlertList> {
    const after = decodeCursor(cursor, ['bigint'])?.[0];
    return this.tenancy.run(caller.tenantId, async () => {
      if (!(await this.store.find(watchId))) throw unknown(watchId);
      const rows = await this.store.listAlerts(watchId, since, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.position]);
      return { alerts: page.map(alertOf), next_cursor };
    });
  }

  /** @throws WatchUnknown also for one that has ended */
  async withdraw(caller: TenantCaller, watchId: string): Promise<Watch> {
    const watch = await this.store.find(watchId, true);
    if (!watch || watch.ended_at) throw unknown(watchId);
    await this.store.end(watchId, caller.principal);
    await this.webhooks.unbind(caller, watchId);
    const { agent_id: agentId, target_type: targetType, target_id: targetId } = watch;
    const data = { watchId, agentId, targetType, targetId, actor: caller.principal };
    await this.outbox.emit({ kind: 'watch.ended', subject: watchId, data });
    return watchOf((await this.store.find(watchId))!);
  }

  private async holdPlace({ targetType }: FoundTarget): Promise<void> {
    const { all, queries } = await this.store.countLocked();
    const detail = 'End a watch that is not needed any more';
    if (all >= MAX_WATCHES) throw new WatchLimitReached({ limit: MAX_WATCHES }, detail);
    if (targetType === 'query' && queries >= MAX_QUERIES) {
      throw new WatchLimitReached({ limit: MAX_QUERIES }, `${detail}: of queries there may be ${MAX_QUERIES}`);
    }
  }
}

const unknown = (watchId: string): WatchUnknown =>
  new WatchUnknown({ watchId }, 'GET /v1/watches lists those there are; one that has ended cannot be ended again');

const watchOf = (row: WatchRow): Watch => ({
  watchId: row.watch_id,
  agentId: row.agent_id,
  targetType: row.target_type,
  targetId: row.target_id,
  query: row.query && { ...row.query, minScore: row.query.minScore ?? undefined },
  note: row.note,
  active: row.ended_at === null,
  alertCount: row.alert_count,
  createdBy: row.principal,
  createdAt: row.created_at.toISOString(),
  endedAt: row.ended_at?.toISOString() ?? null,
});

const alertOf = (row: AlertRow): WatchAlert => ({
  alertId: row.alert_id,
  watchId: row.watch_id,
  change: row.change,
  ...row.body,
  occurredAt: row.occurred_at.toISOString(),
});
