import type { Jobs } from '../../../../common/jobs/jobs.js';
import type { Query } from '../../../../common/tenancy/cross-tenant.js';
import type { EventSink, StoredEvent } from '../../../events/outbox/outbox.types.js';
import type { EvaluationTask } from '../watches.types.js';
import { findConcerned, WATCHED_KINDS } from './fan-out.store.js';

/** What a look is taken to last. */
const LASTS_MS = 100;

/**
 * Has watches looked at by jobs, a tenant at a time: what goes wrong with one tenant's watches holds up no other's, nor
 * the events.
 */
export class WatchSink implements EventSink {
  readonly name = 'watches';
  readonly batch = 200;

  constructor(private readonly jobs: Jobs) {}

  async publish(events: readonly StoredEvent[], query: Query): Promise<number> {
    const watched = events.filter(({ kind }) => WATCHED_KINDS.includes(kind));
    if (watched.length === 0) return events.length;
    const concerned = Map.groupBy(await findConcerned(query, watched), (row) => row.tenant_id);
    for (const [tenantId, rows] of concerned) {
      const task: EvaluationTask = { tenantId, events: rows.map(({ owner, event_id: id }) => [owner, id]) };
      await this.jobs.sendBy(query, 'watches.evaluate', { data: task, options: { lastsMs: LASTS_MS } });
    }
    return events.length;
  }
}
