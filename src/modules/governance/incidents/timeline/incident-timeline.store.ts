import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { SOURCES, type SourceSql, type TimelineSource } from './timeline-sources.js';
import type { TimelinePlace, TimelineReader, TimelineRow, TimelineWindow } from './timeline.types.js';

interface Wanted {
  sources: readonly TimelineSource[];
  after: TimelinePlace | undefined;
  limit: number;
}

/** Pages of a timeline: no more of each source than a page, merged by time. In the open unit of work. */
@Injectable()
export class IncidentTimelineStore {
  constructor(private readonly tenancy: Tenancy) {}

  read(row: TimelineWindow, reader: TimelineReader, { sources, after, limit }: Wanted): Promise<TimelineRow[]> {
    const isNarrow = row.sessionIds.length + row.agentIds.length + row.entities.length > 0;
    const parts = SOURCES.filter(({ source }) => sources.includes(source));
    return this.tenancy.query<TimelineRow>(
      `with named as materialized (select $6::text[], $7::text[], $8::text[], $4::boolean, $5::text)
       select * from (${parts.map((part) => `(${pageOf(part, { isNarrow, isNext: after !== undefined })})`).join(' union all ')}) t
       order by at, source, id limit $9`,
      [
        ...[this.tenancy.tenant, row.windowFrom, row.windowTo, reader.seesAll, reader.principal],
        ...[row.sessionIds, row.agentIds, row.entities, limit],
        ...(after ?? []),
      ],
    );
  }
}

/** Microseconds from the year 1 to 1970, and to the end of the year 9999, which a forged place must not exceed. */
const EPOCH_US = '62135596800000000';
const LAST_US = '315537897599999999';
/** A place names its moment to the microsecond. */
const PLACE = `timestamptz 'epoch' + (least($10::bigint, ${LAST_US}) - ${EPOCH_US}) * interval '1 microsecond'`;

function pageOf(part: SourceSql, { isNarrow, isNext }: { isNarrow: boolean; isNext: boolean }): string {
  const { source, from, at, id, kind, subject, actor, data, ofSessions, ofAgents, ofEntities } = part;
  const named = [ofSessions, ofAgents, ofEntities].filter((one) => one !== undefined);
  const order = `${at}, (${id}) collate "C"`;
  return `select ((extract(epoch from ${at}) * 1000000)::bigint + ${EPOCH_US})::text as at_us, ${at} as at, '${source}' collate "C" as source, (${id}) collate "C" as id,
      ${kind} as kind, ${subject} as subject, ${actor} as actor, ${data} as facts
    from ${from.replace(' x where ', ' x cross join named n(s, a, e, sees_all, me) where x.tenant_id = $1 and ')}
      and ${at} >= $2::timestamptz and ($3::timestamptz is null or ${at} <= $3)
      ${isNext ? `and ${at} >= ${PLACE} and (${at}, '${source}' collate "C", (${id}) collate "C") > (${PLACE}, $11, $12)` : ''}
      ${isNarrow ? `and (${named.join(' or ')})` : ''}
    order by ${order} limit $9`;
}
