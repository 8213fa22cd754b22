import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { TenantResolver } from '../../../../guards/tenant-resolver.js';
import { IncidentsService } from '../incidents.service.js';
import { IncidentTimelineStore, type TimelineRow } from './incident-timeline.store.js';
import type { IncidentTimeline, TimelineEntry, TimelineQuery } from './timeline.dto.js';

/** What happened in the window of an incident, of all that is written down, in the order in which it happened. */
@Injectable()
export class IncidentTimelineService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly incidents: IncidentsService,
    private readonly store: IncidentTimelineStore,
  ) {}

  /** @throws IncidentUnknown */
  read(caller: DaemonCaller, id: string, { source, limit, cursor }: TimelineQuery): Promise<IncidentTimeline> {
    const after = decodeCursor(cursor, ['bigint', 'text', 'text']);
    return this.tenants.run(caller, undefined, async () => {
      const row = await this.incidents.find(id);
      const reader = { seesAll: caller.isAdmin, principal: caller.principal };
      const rows = await this.store.read(row, reader, { source, after, limit: limit + 1 });
      const { page, next_cursor } = takePage(rows, limit, (one) => [one.at_us, one.source, one.id]);
      return { incident_id: id, entries: page.map(entryOf), count: page.length, next_cursor };
    });
  }
}

const entryOf = ({ at_us: _micros, at, ...entry }: TimelineRow): TimelineEntry => ({ at: at.toISOString(), ...entry });
