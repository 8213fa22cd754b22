import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { CostQuery, ReportedUsage, ReportUsage, UsageEvent } from './cost.dto.js';
import { usageReported } from './cost.events.js';
import { DIMENSIONS, type Dimension, type UsageDraft, type UsageFilter } from './cost.types.js';
import { csvOf, rowOf, totalOf, type SentReport } from './cost.views.js';
import { Prices } from './prices.service.js';
import { UsageStore } from './usage.store.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

type TimedDraft = UsageDraft & { isTimed: boolean };

/** Usage of models: each event once, and what it adds up to. */
@Injectable()
export class CostService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: UsageStore,
    private readonly prices: Prices,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws ValidationFailed for an event that is there twice in one request and says different things */
  report(caller: DaemonCaller, { events, tenant_id }: ReportUsage): Promise<ReportedUsage> {
    const now = new Date().toISOString();
    const drafts = distinct(events.map((event) => draftOf(event, now, caller.passport)));
    return this.tenants.write(caller, tenant_id, async () => {
      const names = new Set((await this.store.add(drafts, caller.principal)).map(nameOf));
      const kept = drafts.filter((draft) => names.has(nameOf(draft)));
      const others = await this.store.findOthers(drafts.filter((draft) => !names.has(nameOf(draft))));
      const recorded = kept.length === 0 ? undefined : await this.audit.record(caller, usageReported(kept));
      return {
        accepted: kept.length,
        duplicates: events.length - kept.length,
        conflicts: others.map(({ source, event_id }) => ({ id: event_id, source })),
        receipt_id: recorded?.receiptId ?? null,
      };
    });
  }

  /** @throws ValidationFailed; ServiceUnavailable while the price list cannot be read */
  async read(caller: DaemonCaller, query: CostQuery): Promise<SentReport> {
    const by = dimensionsOf(query.group_by);
    const filter = filterOf(query);
    const after = decodeCursor(
      query.cursor,
      by.map(() => 'text' as const),
    );
    const prices = await this.prices.read();
    return this.tenants.run(caller, query.tenant_id, async () => {
      const groups = await this.store.list(filter, by, after, query.limit + 1);
      const { page, has_more, next_cursor } = takePage(groups, query.limit, ({ key }) => key);
      const rows = page.map((group) => rowOf(group, by, prices));
      if (query.format === 'csv') return { csv: csvOf(rows, by, prices !== undefined), nextCursor: next_cursor };
      const total = totalOf(await this.store.total(filter), prices);
      const { from, to } = filter;
      const position = { count: rows.length, has_more, next_cursor };
      return { report: { schema: 'svc.cost/1', from, to, group_by: by, rows, total, ...position } };
    });
  }
}

function draftOf({ id, source = '', time, data }: UsageEvent, now: string, acting: string | undefined): TimedDraft {
  const { model, tokens_in, tokens_out, passport = acting ?? '', project = '', surface = '' } = data;
  const used = { model, tokens_in, tokens_out, passport, project, surface };
  return { source, event_id: id, happened_at: time ?? now, ...used, isTimed: time !== undefined };
}

const nameOf = ({ source, event_id }: Pick<UsageDraft, 'source' | 'event_id'>): string =>
  JSON.stringify([source, event_id]);

/** @throws ValidationFailed */
function distinct(drafts: readonly TimedDraft[]): TimedDraft[] {
  const byName = new Map<string, TimedDraft>();
  for (const [place, draft] of drafts.entries()) {
    const first = byName.get(nameOf(draft));
    if (first && JSON.stringify(first) !== JSON.stringify(draft))
      throw invalid(`body.events[${place}].id`, 'is that of an event before it, which says otherwise');
    if (!first) byName.set(nameOf(draft), draft);
  }
  return [...byName.values()];
}

/** @throws ValidationFailed */
function dimensionsOf(lists: readonly string[]): Dimension[] {
  const names = lists.flatMap((list) => list.split(','));
  const isKnown = (name: string): name is Dimension => (DIMENSIONS as readonly string[]).includes(name);
  const known = names.filter(isKnown);
  if (known.length < names.length || new Set(known).size < known.length)
    throw invalid('query.group_by', `lists some of ${DIMENSIONS.join(', ')}, each once`);
  return known;
}

/** @throws ValidationFailed for a day that there is not, or a time that ends before it begins */
function filterOf({ from, to, model, passport, project, surface }: CostQuery): UsageFilter {
  const last = to ?? dayOf(Date.now());
  checkDay('query.to', last);
  const first = from ?? dayOf(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY_MS);
  checkDay('query.from', first);
  if (first > last) throw invalid('query.from', `is after the last day, ${last}`);
  return { from: first, to: last, model, passport, project, surface };
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function checkDay(member: string, day: string): void {
  const ms = Date.parse(day);
  if (Number.isNaN(ms) || dayOf(ms) !== day) throw invalid(member, 'is no day of the calendar');
}
