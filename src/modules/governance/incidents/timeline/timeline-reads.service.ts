import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { TenantResolver } from '../../../../guards/tenant-resolver.js';
import { IncidentTimelineStore } from './incident-timeline.store.js';
import type { TimelineEntry } from './timeline.dto.js';
import type { TimelineRow, TimelineSource, TimelineWindow } from './timeline.types.js';

/** What happened in a window of time without an incident, page by page. */
@Injectable()
export class TimelineReadsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: IncidentTimelineStore,
  ) {}

  /** @throws ValidationFailed for what is no cursor of this list */
  read(
    caller: DaemonCaller,
    window: TimelineWindow,
    wanted: { sources: readonly TimelineSource[]; limit: number; cursor: string | undefined },
  ): Promise<{ entries: TimelineEntry[]; next_cursor: string | null }> {
    const { sources, limit, cursor } = wanted;
    const after = decodeCursor(cursor, ['bigint', 'text', 'text']);
    const reader = { seesAll: caller.isAdmin, principal: caller.principal };
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.store.read(window, reader, { sources, after, limit: limit + 1 });
      const { page, next_cursor } = takePage(rows, limit, (one) => [one.at_us, one.source, one.id]);
      return { entries: page.map(entryOf), next_cursor };
    });
  }
}

const entryOf = ({ at_us: _micros, at, ...entry }: TimelineRow): TimelineEntry => ({ at: at.toISOString(), ...entry });
