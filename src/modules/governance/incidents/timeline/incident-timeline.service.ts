import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../../common/bearer-auth/daemon-caller.js';
import { TenantResolver } from '../../../../guards/tenant-resolver.js';
import { IncidentsService } from '../incidents.service.js';
import { TIMELINE_SOURCES } from './timeline-sources.js';
import { TimelineReadsService } from './timeline-reads.service.js';
import type { IncidentTimeline, TimelineQuery } from './timeline.dto.js';

/** What happened in the window of an incident, of all that is written down, in the order in which it happened. */
@Injectable()
export class IncidentTimelineService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly incidents: IncidentsService,
    private readonly timelines: TimelineReadsService,
  ) {}

  /** @throws IncidentUnknown */
  async read(caller: DaemonCaller, id: string, { source, limit, cursor }: TimelineQuery): Promise<IncidentTimeline> {
    const sources = source === undefined ? TIMELINE_SOURCES : [source];
    const { entries, next_cursor } = await this.tenants.run(caller, undefined, async () =>
      this.timelines.read(caller, await this.incidents.find(id), { sources, limit, cursor }),
    );
    return { incident_id: id, entries, count: entries.length, next_cursor };
  }
}
