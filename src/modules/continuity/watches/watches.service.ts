import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { lockToCopy } from '../../../common/tenancy/copied-texts.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { WebhooksService } from '../../events/outbox/webhooks/webhooks.service.js';
import { WatchTargetsService, type FoundTarget } from './watch-targets.service.js';
import type { WatchRow } from './watch.entity.js';
import type { AlertList, AlertQuery, WatchAlert } from './watch-alerts.dto.js';
import type { Watch, WatchCreated, WatchList, WatchListQuery, WatchRequest } from './watches.dto.js';
import { WatchExists, WatchLimitReached, WatchUnknown } from './watches.problems.js';
import { passageKey, stateAfter, targetTypeOf } from './watches.rules.js';
import { WatchesStore, type AlertContent } from './watches.store.js';

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
    await lockToCopy(this.tenancy);
    const snapshot = await this.store.snapshot();
    const target = await this.targets.read(request);
    await this.holdPlace(target);
    const watchId = uuid();
    const { agentId, note = null, webhookUrl } = request;
    const { sources, ...named } = target;
    const watch = { watchId, principal: caller.principal, agentId, note, ...named };
    const known = await this.store.findSame(watch);
    if (known) {
      const { watchId } = known;
      throw new WatchExists({ watchId }, `It is watch ${watchId}; end it to create it again`);
    }
    const shown = watchOf(await this.store.record(watch, snapshot));
    await this.store.recordSources(watchId, sources);
    if (target.query) await this.store.recordSeen(watchId, (await this.targets.search(target.query)).map(passageKey));
    const { targetType, targetId } = target;
    this.outbox.emit({
      kind: 'watch.created',
      subject: watchId,
      data: { watchId, agentId, targetType, targetId, actor: caller.principal },
    });
    if (webhookUrl === undefined) return { ...shown, webhook: null };
    return { ...shown, webhook: await this.webhooks.bind(caller, { url: webhookUrl, watchId }, 'body.webhookUrl') };
  }

  /**
   * Makes sure that {@link holdAnswer} waits for nothing: before receipts of the unit of work, for which whoever adds a
   * watch may wait.
   */
  async reserve(): Promise<void> {
    await this.store.countLocked();
  }

  /** The caller's watch on an answer for an agent, made where there is none: it goes on with each new version. */
  async holdAnswer(caller: TenantCaller, agentId: string, answerId: string): Promise<Watch> {
    const target = { targetType: 'answer', targetId: answerId } as const;
    const known = await this.store.findSame({ principal: caller.principal, agentId, ...target });
    if (known) return watchOf(known);
    const { webhook: _none, ...watch } = await this.record(caller, { agentId, ...target });
    return watch;
  }

  /** Watches on an answer that watch, by whatever name of it, in the order in which they were made. */
  listOfAnswer({ tenantId }: TenantCaller, answerId: string, limit: number): Promise<Watch[]> {
    return this.tenancy.run(tenantId, async () => (await this.store.listOfAnswer(answerId, limit)).map(watchOf));
  }

  list(caller: TenantCaller, { limit, cursor, targetType, ...rest }: WatchListQuery): Promise<WatchList> {
    const after = decodeCursor(cursor, ['bigint']);
    const filter = { ...rest, targetType: targetType && targetTypeOf(targetType) };
    return this.tenancy.run(caller.tenantId, async () => {
      const rows = await this.store.list(filter, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.position]);
      return { watches: page.map(watchOf), next_cursor };
    });
  }

  listAlerts(caller: TenantCaller, watchId: string, { limit, cursor, since }: AlertQuery): Promise<AlertList> {
    const after = decodeCursor(cursor, ['bigint']);
    return this.tenancy.run(caller.tenantId, async () => {
      if (!(await this.store.has(watchId))) throw unknown(watchId);
      const rows = await this.store.listAlerts(watchId, since, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.position]);
      return { alerts: page.map(alertOf), next_cursor };
    });
  }

  /** Alerts by their ids, with what their watches are for; one that is gone is missing. In the open unit of work. */
  async readAlerts(named: readonly NamedAlert[]): Promise<AlertOfWatch[]> {
    const rows = await this.store.readAlerts(named);
    return rows.map(({ targetType, targetId, note, ...row }) => ({ ...alertOf(row), targetType, targetId, note }));
  }

  /** @throws WatchUnknown also for one that has ended */
  async withdraw(caller: TenantCaller, watchId: string): Promise<Watch> {
    if (!(await this.store.findLocked(watchId))) throw unknown(watchId);
    const watch = await this.store.end(watchId, caller.principal);
    await this.webhooks.unbind(caller, watchId);
    const { agentId, targetType, targetId } = watch;
    const data = { watchId, agentId, targetType, targetId, actor: caller.principal };
    this.outbox.emit({ kind: 'watch.ended', subject: watchId, data });
    return watchOf(watch);
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

export interface NamedAlert {
  watchId: string;
  alertId: string;
}

/** An alert with what its watch is on, and for. */
export type AlertOfWatch = WatchAlert & Pick<Watch, 'targetType' | 'targetId' | 'note'>;

const unknown = (watchId: string): WatchUnknown =>
  new WatchUnknown({ watchId }, 'GET /v1/watches lists those there are; one that has ended cannot be ended again');

const watchOf = (row: WatchRow): Watch => ({
  watchId: row.watchId,
  agentId: row.agentId,
  targetType: row.targetType,
  targetId: row.targetId,
  query: row.query && { ...row.query, minScore: row.query.minScore ?? undefined },
  note: row.note,
  active: row.endedAt === null,
  alertCount: row.alertCount,
  createdBy: row.principal,
  createdAt: row.createdAt.toISOString(),
  endedAt: row.endedAt?.toISOString() ?? null,
});

function alertOf({ alertId, watchId, change, body, occurredAt }: AlertContent): WatchAlert {
  // Alerts of earlier releases have no verdict.
  const { verdict = null } = body;
  const state = stateAfter({ change, verdict });
  return { alertId, watchId, change, state, ...body, verdict, occurredAt: occurredAt.toISOString() };
}
