import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import {
  factColumns,
  followIndexes,
  hasPrefix,
  inRange,
  inRanges,
  Parameters,
  rangesOf,
  timeOf,
  type Range,
} from './fact-sql.js';
import type { FactListCensus, FactListFilter, FactListPage, FactPlace, FactReader, FactRow } from './facts.types.js';

/** How much of a value a list shows, in characters. */
const SHOWN_VALUE = 1024;
/** Up to so many matches a page is sorted out of them; of more it is found faster by going through the list. */
const FEW = 10_000;
/** What octets a value of so many characters can have at most; only of longer ones the characters are counted. */
const CUT = `(octet_length(f.value) > ${SHOWN_VALUE} and length(f.value) > ${SHOWN_VALUE})`;
const COLUMNS = factColumns(CUT, SHOWN_VALUE);
const NEWEST_FIRST = 'order by stored_at desc, seq desc';

/**
 * A statement that gives (stored_at, seq) of the records of a page, and one that gives how many there are of them on
 * all pages.
 */
interface Plan {
  with?: string;
  page: string;
  total: string;
}

/**
 * Pages of GET /v1/facts/list with their totals, each of one statement and so of one moment. Call in a unit of work.
 */
@Injectable()
export class FactListStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @param limit rows at most */
  async readPage(
    reader: FactReader,
    filter: FactListFilter,
    page: { after?: FactPlace; limit: number },
  ): Promise<FactListPage> {
    const parameters = new Parameters();
    const statement = new ListStatement(reader, filter, parameters, {
      after: page.after && placeAfter(page.after, parameters),
      limit: parameters.add(page.limit),
    });
    if (!statement.isScan) await followIndexes(this.tenancy);
    const rows = await this.tenancy.query<Partial<FactRow> & Totals>(statement.text(), parameters.values);
    return {
      rows: rows.filter((row): row is FactRow & Totals => row.fact_id !== null),
      totalVisible: Number(rows[0]!.total_visible),
      totalNondeleted: Number(rows[0]!.total_nondeleted),
    };
  }

  /** The totals of the list without text filters, all of one moment. */
  async readCensus(reader: FactReader): Promise<FactListCensus> {
    const parameters = new Parameters();
    const [open, reserved, all] = [
      rangesOf(reader, false),
      rangesOf(reader, true),
      rangesOf({ ...reader, seesAll: true }, true),
    ].map((ranges) => scopesIn(ranges, parameters));
    const sum = (column: string, scopes: string) => `coalesce(sum(c.${column}) filter (where ${scopes}), 0)`;
    const [row] = await this.tenancy.query<Counts>(
      `select ${sum('current', open!)} as current, ${sum('current', reserved!)} as current_with_reserved,
         ${sum('records', reserved!)} as versions, ${sum('records', all!)} as nondeleted
       from fact_count c where c.tenant_id = ${parameters.add(reader.tenantId)}`,
      parameters.values,
    );
    return {
      ...{ current: Number(row!.current), currentWithReserved: Number(row!.current_with_reserved) },
      ...{ versions: Number(row!.versions), nondeleted: Number(row!.nondeleted) },
    };
  }
}

interface Counts {
  current: string;
  current_with_reserved: string;
  versions: string;
  nondeleted: string;
}

/** Rows of the totals that are kept. */
const scopesIn = (ranges: readonly Range[], parameters: Parameters): string =>
  ranges
    .map(({ visibility, owner }) => `c.visibility = ${visibility} and c.scope = ${parameters.add(owner ?? '')}`)
    .join(' or ');

interface Totals {
  total_visible: string;
  total_nondeleted: string;
}

const placeAfter = ({ storedAtMs, seq }: FactPlace, parameters: Parameters): string =>
  `(${parameters.add(timeOf(storedAtMs))}::timestamptz, ${parameters.add(seq)}::bigint)`;

class ListStatement {
  private readonly ranges: Range[];
  private readonly tenant: string;
  private readonly asOf: string | undefined;

  constructor(
    private readonly reader: FactReader,
    private readonly filter: FactListFilter,
    private readonly parameters: Parameters,
    private readonly page: { after: string | undefined; limit: string },
  ) {
    this.ranges = rangesOf(reader, filter.includeReserved);
    this.tenant = parameters.add(reader.tenantId);
    this.asOf = filter.asOfMs === undefined ? undefined : `${parameters.add(timeOf(filter.asOfMs))}::timestamptz`;
  }

  /** The totals come in every row, so that an empty page has them too. */
  text(): string {
    const { with: parts, page, total } = this.plan();
    const columns = this.asOf === undefined ? COLUMNS : rewound(COLUMNS, this.asOf);
    return `
      with ${parts === undefined ? '' : `${parts},`} page as (${page} ${NEWEST_FIRST} limit ${this.page.limit})
      select t.total_visible, t.total_nondeleted, shown.* from (select (${total}) as total_visible, (${this.nondeleted()}) as total_nondeleted) t
      left join (page p cross join lateral (select ${columns} from fact f where f.tenant_id = ${this.tenant} and f.seq = p.seq offset 0) shown) on true
      ${NEWEST_FIRST}`;
  }

  /** Whether every record is looked at. */
  get isScan(): boolean {
    const { q, entityPrefix, includeSuperseded } = this.filter;
    return q !== undefined || (this.asOf !== undefined && (entityPrefix !== undefined || !includeSuperseded));
  }

  private plan(): Plan {
    const { entityPrefix, includeSuperseded } = this.filter;
    if (this.isScan) return this.scan();
    if (this.asOf !== undefined) return { page: this.walk(this.records()), total: this.countedAsOf(this.ranges) };
    if (entityPrefix !== undefined) return this.byPrefix(entityPrefix);
    return { page: this.walk(includeSuperseded ? this.records() : [HEADS]), total: this.kept(this.ranges) };
  }

  /** The kinds of rows that hold records of the listing: live ones, and of an earlier time those deleted since. */
  private records(): Source[] {
    return this.asOf === undefined
      ? [LIVE]
      : [LIVE, { ...DELETED, where: `${DELETED.where} and x.deleted_at > ${this.asOf}` }];
  }

  /** A page out of ranges of an index, each as long as a page at most. */
  private walk(sources: readonly Source[], also = ''): string {
    const { after, limit } = this.page;
    const bounds = [
      ...(after === undefined ? [] : [`and (x.stored_at, x.seq) < ${after}`]),
      ...(this.asOf === undefined ? [] : [`and x.stored_at <= ${this.asOf}`]),
      also,
    ].join(' ');
    return sources
      .flatMap(({ table, where }) =>
        this.ranges.map(
          (range) => `(select x.stored_at, x.seq from ${table} x where x.tenant_id = ${this.tenant}
            and ${inRange('x', range, this.parameters)} and ${where} ${bounds} ${NEWEST_FIRST} limit ${limit})`,
        ),
      )
      .join(' union all ');
  }

  /** Matches are counted and found by their chains; where they are many, a page is found by going through the list. */
  private byPrefix(prefix: string): Plan {
    const { includeSuperseded } = this.filter;
    const after = this.page.after === undefined ? '' : `and (x.stored_at, x.seq) < ${this.page.after}`;
    const named = `select h.* from fact_head h where h.tenant_id = ${this.tenant} and ${hasPrefix('h', prefix, this.parameters)} offset 0`;
    const matching = `matching as materialized (select h.chain, h.seq, h.stored_at, h.records from (${named}) h
        where h.records > 0 and ${inRanges('h', this.ranges, this.parameters)}),
      matches as materialized (select count(*) as chains, coalesce(sum(records), 0) as records from matching)`;
    const beginsSo = `and starts_with(x.entity, ${this.parameters.add(prefix)})`;
    const few = includeSuperseded
      ? `select x.stored_at, x.seq from matching m
         cross join lateral (select x.* from fact x where x.tenant_id = ${this.tenant} and x.chain = m.chain offset 0) x
         where x.deleted_at is null and not x.tombstone ${after} and (select records from matches) <= ${FEW}`
      : `select x.stored_at, x.seq from matching x where (select chains from matches) <= ${FEW} ${after}`;
    const many = `and (select ${includeSuperseded ? 'records' : 'chains'} from matches) > ${FEW}`;
    return {
      with: matching,
      page: `(${few} ${NEWEST_FIRST} limit ${this.page.limit}) union all ${this.walk([includeSuperseded ? LIVE : HEADS], `${beginsSo} ${many}`)}`,
      total: `select ${includeSuperseded ? 'records' : 'chains'} from matches`,
    };
  }

  /** Everything the reader may see is looked at. */
  private scan(): Plan {
    const { q, entityPrefix, includeSuperseded } = this.filter;
    const when =
      this.asOf === undefined
        ? `x.deleted_at is null${includeSuperseded ? '' : ' and x.superseded_at is null'}`
        : `x.stored_at <= ${this.asOf} and (x.deleted_at is null or x.deleted_at > ${this.asOf})${
            includeSuperseded ? '' : ` and (x.superseded_at is null or x.superseded_at > ${this.asOf})`
          }`;
    const conditions = [
      `x.tenant_id = ${this.tenant}`,
      'not x.tombstone',
      when,
      inRanges('x', this.ranges, this.parameters),
      ...(entityPrefix === undefined ? [] : [`starts_with(x.entity, ${this.parameters.add(entityPrefix)})`]),
      ...(q === undefined ? [] : [contains(q, this.parameters)]),
    ];
    const after = this.page.after === undefined ? '' : `where (x.stored_at, x.seq) < ${this.page.after}`;
    return {
      with: `matching as materialized (select x.stored_at, x.seq from fact x where ${conditions.join(' and ')})`,
      page: `select x.stored_at, x.seq from matching x ${after}`,
      total: 'select count(*) from matching',
    };
  }

  /**
   * Every record that is not deleted, whoever may see it, and whatever the text filters: they must not reveal others'
   * private facts.
   */
  private nondeleted(): string {
    const all = rangesOf({ ...this.reader, seesAll: true }, true);
    return this.asOf === undefined ? this.kept(all) : this.countedAsOf(all);
  }

  /** The totals that are kept. */
  private kept(ranges: readonly Range[]): string {
    return `select coalesce(sum(c.${this.filter.includeSuperseded ? 'records' : 'current'}), 0) from fact_count c
      where c.tenant_id = ${this.tenant} and (${scopesIn(ranges, this.parameters)})`;
  }

  private countedAsOf(ranges: readonly Range[]): string {
    const then = this.filter.includeSuperseded ? '' : `and (x.superseded_at is null or x.superseded_at > ${this.asOf})`;
    const counts = this.records().flatMap(({ table, where }) =>
      ranges.map(
        (range) => `(select count(*) from ${table} x where x.tenant_id = ${this.tenant}
          and ${inRange('x', range, this.parameters)} and ${where} and x.stored_at <= ${this.asOf} ${then})`,
      ),
    );
    return `select ${counts.join(' + ')}`;
  }
}

interface Source {
  table: string;
  /** The condition of a partial index. */
  where: string;
}
const LIVE: Source = { table: 'fact', where: 'x.deleted_at is null and not x.tombstone' };
const DELETED: Source = { table: 'fact', where: 'x.deleted_at is not null and not x.tombstone' };
const HEADS: Source = { table: 'fact_head', where: 'x.records > 0' };

/** Text in entity, key or value, whatever its case. */
function contains(q: string, parameters: Parameters): string {
  const wanted = `lower(${parameters.add(q)}::text collate "default")`;
  return `(${['entity', 'key', 'value'].map((name) => `strpos(lower(x.${name} collate "default"), ${wanted}) > 0`).join(' or ')})`;
}

/** A record that was superseded later was not superseded then. */
const rewound = (columns: string, asOf: string): string =>
  columns.replace('f.superseded_by', `case when f.superseded_at <= ${asOf} then f.superseded_by end as superseded_by`);
