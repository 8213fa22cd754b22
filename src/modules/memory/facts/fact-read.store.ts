import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { factColumns, followIndexes, inRange, inRanges, Parameters, rangesOf, timeOf } from './fact-sql.js';
import { latestFacts } from './latest-facts.js';
import {
  type FactNeighbour,
  type FactFilter,
  type FactPlace,
  type FactReader,
  type FactRow,
  VISIBILITY,
} from './facts.types.js';

/** Values of one answer, in bytes: facts past it show the beginning of theirs. */
const MAX_VALUE_BYTES = 8 * 1024 * 1024;
const KEPT_OF_CUT = 1024;
const WHOLE = factColumns('false', 0);
const WHOLE_WHILE_SMALL = factColumns(
  `(c.bytes > ${MAX_VALUE_BYTES} and length(f.value) > ${KEPT_OF_CUT})`,
  KEPT_OF_CUT,
);

/** How many on each side are its neighbours, and how long before or after it. */
const MAX_NEIGHBOURS = 3;
const NEIGHBOURS_WITHIN = '1 hour';

const neighboursOn = (side: '<' | '>', order: 'asc' | 'desc'): string => `
  select n.seq, n.written_by, n.stored_at, ${side === '<' ? -1 : 1} * row_number() over (order by n.stored_at ${order}, n.seq ${order})::int as distance from (
    select f.seq, f.written_by, f.stored_at from fact f
    where f.tenant_id = $1 and f.visibility = ${VISIBILITY.public} and f.deleted_at is null and not f.tombstone
      and (f.stored_at, f.seq) ${side} (a.stored_at, a.seq) order by f.stored_at ${order}, f.seq ${order} limit $3) n`;

const NEIGHBOURS = `
  select a.seq as of, b.seq, b.distance from unnest($2::bigint[]) s (seq)
  cross join lateral (
    select f.seq, f.stored_at, f.written_by from fact f
    where f.tenant_id = $1 and f.seq = s.seq and f.visibility = ${VISIBILITY.public} offset 0) a
  cross join lateral ((${neighboursOn('<', 'desc')}) union all (${neighboursOn('>', 'asc')})) b
  where b.written_by = a.written_by and b.stored_at between a.stored_at - $4::interval and a.stored_at + $4::interval`;

/** A record with its chain, and whether an incident has it set aside. */
export type FoundFact = FactRow & { chain: Buffer; quarantined: boolean };

/** Single facts, the latest facts under filters, and exports. Every method is one statement; call in a unit of work. */
@Injectable()
export class FactReadStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** A record that is not deleted, or set aside, with its whole value and its chain. */
  async find(reader: FactReader, factId: string): Promise<FoundFact | undefined> {
    const parameters = new Parameters();
    const [row] = await this.tenancy.query<FoundFact>(
      `select f.chain, f.quarantined, ${WHOLE}
       from (select f.* from fact f where f.tenant_id = ${parameters.add(reader.tenantId)} and f.fact_id = ${parameters.add(factId)} offset 0) f
       where (f.deleted_at is null or f.quarantined) and not f.tombstone and ${inRanges('f', rangesOf(reader, true), parameters)}`,
      parameters.values,
    );
    return row;
  }

  /** The latest fact of each entity and key under the filter, newest first. */
  async findLatest(reader: FactReader, filter: FactFilter, limit: number): Promise<FactRow[]> {
    const parameters = new Parameters();
    const most = parameters.add(limit);
    const parts = latestFacts(reader, filter, parameters).map(
      ({ facts, newestFirst }) => `(select f.stored_at, f.seq ${facts} ${newestFirst} limit ${most})`,
    );
    await followIndexes(this.tenancy);
    return this.tenancy.query<FactRow>(
      shown(
        `select * from (${parts.join(' union all ')}) p order by stored_at desc, seq desc limit ${most}`,
        reader,
        parameters,
      ),
      parameters.values,
    );
  }

  /** Of these facts the ones that findLatest would find among all, in any order. */
  async findAmong(reader: FactReader, filter: FactFilter, seqs: readonly (number | string)[]): Promise<FactRow[]> {
    const parameters = new Parameters();
    const [part] = latestFacts(reader, filter, parameters, seqs);
    await followIndexes(this.tenancy);
    return this.tenancy.query<FactRow>(
      shown(`select f.seq, f.stored_at ${part!.facts}`, reader, parameters),
      parameters.values,
    );
  }

  /**
   * The public facts that the same writer stored right before and after each of these public ones: private ones are not
   * looked at, so that nobody learns of those of others by what is next to what.
   */
  async findNeighbours({ tenantId }: FactReader, seqs: readonly string[]): Promise<FactNeighbour[]> {
    await followIndexes(this.tenancy);
    return this.tenancy.query<FactNeighbour>(NEIGHBOURS, [tenantId, seqs, MAX_NEIGHBOURS, NEIGHBOURS_WITHIN]);
  }

  /**
   * Records from a time on, oldest first, and the time up to which no record is missing. Writers of the tenant wait
   * meanwhile.
   */
  async export(
    reader: FactReader,
    { sinceMs, after, limit }: { sinceMs: number | undefined; after: FactPlace | undefined; limit: number },
  ): Promise<{ rows: FactRow[]; hasMore: boolean; exportedAt: Date }> {
    const [settled] = await this.tenancy.query<{ at: Date }>('select svc_settle_export($1) as at', [reader.tenantId]);
    await followIndexes(this.tenancy);
    const parameters = new Parameters();
    const tenant = parameters.add(reader.tenantId);
    const most = parameters.add(limit + 1);
    const bounds = [
      ...(sinceMs === undefined ? [] : [`and f.stored_at >= ${parameters.add(timeOf(sinceMs))}`]),
      ...(after
        ? [
            `and (f.stored_at, f.seq) > (${parameters.add(timeOf(after.storedAtMs))}::timestamptz, ${parameters.add(after.seq)}::bigint)`,
          ]
        : []),
    ].join(' ');
    const pages = rangesOf(reader, true).map(
      (
        range,
      ) => `(select f.stored_at, f.seq from fact f where f.tenant_id = ${tenant} and ${inRange('f', range, parameters)}
        and f.deleted_at is null and not f.tombstone ${bounds} order by f.stored_at, f.seq limit ${most})`,
    );
    const rows = await this.tenancy.query<FactRow & { found: string }>(
      `with page as (${pages.join(' union all ')} order by stored_at, seq limit ${most}),
       sized as (select f.seq, sum(octet_length(f.value)) over (order by f.stored_at, f.seq) - octet_length(f.value) as before
         from page p join fact f on f.tenant_id = ${tenant} and f.seq = p.seq)
       select (select count(*) from page) as found, ${WHOLE} from sized s join fact f on f.tenant_id = ${tenant} and f.seq = s.seq
       where s.before <= ${MAX_VALUE_BYTES} order by f.stored_at, f.seq`,
      parameters.values,
    );
    return { rows, hasMore: Number(rows[0]?.found ?? 0) > Math.min(rows.length, limit), exportedAt: settled!.at };
  }
}

/** The rows of these (seq, stored_at), with as much of their values as one answer may hold. */
const shown = (chosen: string, { tenantId }: FactReader, parameters: Parameters): string => {
  const tenant = parameters.add(tenantId);
  const itself = (columns: string, of: string) =>
    `cross join lateral (select ${columns} from fact f where f.tenant_id = ${tenant} and f.seq = ${of}.seq offset 0) f`;
  return `with chosen as materialized (${chosen}),
    c as materialized (select n.seq, n.stored_at, sum(f.size) over (order by n.stored_at desc, n.seq desc) as bytes
      from chosen n ${itself('octet_length(f.value) as size', 'n')})
    select f.* from c ${itself(WHOLE_WHILE_SMALL, 'c')} order by c.stored_at desc, c.seq desc`;
};
