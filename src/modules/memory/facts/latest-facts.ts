import { hasPrefix, inRange, inRanges, isEntity, rangesOf, type Parameters, type Range } from './fact-sql.js';
import { isReserved } from './facts.rules.js';
import { HALF_LIFE_DAYS, type FactFilter, type FactReader } from './facts.types.js';

/**
 * The facts that are the latest of their entity and key among those visible to the reader: the newer of the public fact
 * and the reader's own private one. Private facts of others, visible to an admin scope, are returned in addition. The
 * result is the union of all parts; no fact is in two of them. Where no entity is named, each part is read newest first
 * from an index. Each `offset 0` keeps the planner from reordering the joins, and a condition within it uses the
 * intended index.
 * @param among records only among which the facts are
 */
export function latestFacts(
  reader: FactReader,
  filter: FactFilter,
  parameters: Parameters,
  among?: readonly (number | string)[],
): LatestPart[] {
  const statement = new LatestFacts(reader, filter, parameters);
  const conditions = statement.conditions();
  const parts = among === undefined ? statement.sources() : [statement.given(among)];
  return parts.map(({ from, where, ordered }) => ({
    facts: `from ${from} where ${[...where, ...conditions].join(' and ')}`,
    newestFirst: `order by ${ordered}.stored_at desc, ${ordered}.seq desc`,
  }));
}

export interface LatestPart {
  /** `from ... where ...` of facts f. */
  facts: string;
  /** `order by ...`, with the expressions of the index that has the part in this order. */
  newestFirst: string;
}

interface Part {
  from: string;
  /** The table whose order is that of the facts. */
  ordered: 'f' | 'h';
  where: string[];
}

class LatestFacts {
  private readonly tenant: string;
  private readonly at: string | undefined;
  private readonly ranges: Range[];

  constructor(
    private readonly reader: FactReader,
    private readonly filter: FactFilter,
    private readonly parameters: Parameters,
  ) {
    this.tenant = parameters.add(reader.tenantId);
    this.at = filter.asOf === undefined ? undefined : `${parameters.add(filter.asOf)}::timestamptz`;
    // Reserved entities are read only where they are named.
    this.ranges = rangesOf(reader, isReserved(filter.entity ?? filter.entityPrefix ?? ''));
  }

  /** All that can be meant: by the names of entities where they are given, else by ranges of an index. */
  sources(): Part[] {
    const { entity, entityPrefix } = this.filter;
    if (entity !== undefined || entityPrefix !== undefined) {
      const link = this.at === undefined ? 'f.seq = h.seq' : 'f.chain = h.chain';
      return [{ from: `(${this.named()}) h ${this.fact(link)}`, ordered: 'f', where: [] }];
    }
    if (this.at === undefined)
      return this.ranges.map((range) => ({
        from: `(${this.heads(range)}) h ${this.fact('f.seq = h.seq')}`,
        ordered: 'h',
        where: [],
      }));
    const kinds = ['f.deleted_at is null', 'f.deleted_at is not null'];
    return this.ranges.flatMap((range) =>
      kinds.map((kind) => ({
        from: 'fact f',
        ordered: 'f' as const,
        where: [`f.tenant_id = ${this.tenant}`, inRange('f', range, this.parameters), kind, 'not f.tombstone'],
      })),
    );
  }

  private fact(link: string): string {
    return `cross join lateral (select f.* from fact f where f.tenant_id = ${this.tenant} and ${link} offset 0) f`;
  }

  given(seqs: readonly (number | string)[]): Part {
    const { entity, entityPrefix } = this.filter;
    const add = (value: unknown) => this.parameters.add(value);
    return {
      from: `unnest(${add(seqs)}::bigint[]) s(seq) ${this.fact('f.seq = s.seq')}`,
      ordered: 'f',
      where: [
        inRanges('f', this.ranges, this.parameters),
        ...(this.at === undefined ? ['f.superseded_at is null and f.deleted_at is null and not f.tombstone'] : []),
        ...(entity === undefined ? [] : [`f.entity = ${add(entity)}`]),
        ...(entityPrefix === undefined ? [] : [`starts_with(f.entity, ${add(entityPrefix)})`]),
      ],
    };
  }

  /** Further conditions on each fact. */
  conditions(): string[] {
    const { key, minEffectiveConfidence } = this.filter;
    const add = (value: unknown) => this.parameters.add(value);
    return [
      ...(key === undefined ? [] : [`f.key = ${add(key)}`]),
      ...(minEffectiveConfidence === undefined
        ? []
        : [`${effectiveConfidence(this.at ?? 'now()')} >= ${add(Math.fround(minEffectiveConfidence))}::real`]),
      ...(this.at === undefined ? [this.isNewestHead()] : [isInForce('f', this.at), this.isNewestAt(this.at)]),
    ];
  }

  private heads(range: Range): string {
    return `select h.chain, h.seq, h.stored_at from fact_head h
      where h.tenant_id = ${this.tenant} and h.records > 0 and ${inRange('h', range, this.parameters)}`;
  }

  private named(): string {
    const { entity, entityPrefix } = this.filter;
    const names = [
      ...(entity === undefined ? [] : [isEntity('h', entity, this.parameters)]),
      ...(entityPrefix === undefined ? [] : [hasPrefix('h', entityPrefix, this.parameters)]),
    ];
    // What else is asked of them stands outside: another index that fits it must not be taken for this.
    const found = `(select h.* from fact_head h where h.tenant_id = ${this.tenant} and ${names.join(' and ')} offset 0)`;
    // Of an earlier time deleted chains as well.
    const isLive = this.at === undefined ? 'and h.records > 0' : '';
    return `select h.chain, h.seq, h.stored_at from ${found} h where ${inRanges('h', this.ranges, this.parameters)} ${isLive} offset 0`;
  }

  /**
   * The chain of the same entity and key that competes with f's: a public fact's is the reader's own private one, and
   * the other way round.
   */
  private rival(): string {
    const own = this.parameters.add(this.reader.principal);
    return `svc_fact_chain(case f.owner when '' then ${own}::text when ${own} then '' end, f.entity, f.key)`;
  }

  /** A reader without private facts has no competing chains, and no fact is read twice. */
  private isNewestHead(): string {
    return `(not (select exists (select from fact_count c
        where c.tenant_id = ${this.tenant} and c.scope = ${this.parameters.add(this.reader.principal)} and c.records <> 0))
      or not exists (select from fact_head o where o.tenant_id = ${this.tenant} and o.chain = ${this.rival()} and not (o.records = 0)
        and (o.stored_at, o.seq) > (f.stored_at, f.seq)))`;
  }

  private isNewestAt(at: string): string {
    return `not exists (select from fact o where o.tenant_id = ${this.tenant} and o.chain = any (array[f.chain, ${this.rival()}])
      and ${isInForce('o', at)} and (o.stored_at, o.seq) > (f.stored_at, f.seq) offset 0)`;
  }
}

const isInForce = (alias: string, at: string): string =>
  `not ${alias}.tombstone and not ${alias}.quarantined and coalesce(${alias}.valid_from, ${alias}.stored_at) <= ${at} and (${alias}.ends_at is null or ${alias}.ends_at > ${at})`;

/**
 * Of a fact's confidence what is left at a time (D36). After a thousand halvings nothing is, and PostgreSQL would
 * refuse to compute it.
 */
const effectiveConfidence = (at: string): string => {
  const days = `greatest(0, extract(epoch from (${at}) - f.stored_at)::float8 / 86400)`;
  const halved = (halfLife: number) => `power(0.5::float8, least(1000, ${days} / ${halfLife}))`;
  return `(f.confidence * case f.horizon_class when 'ephemeral' then ${halved(HALF_LIFE_DAYS.ephemeral)} when 'session' then ${halved(HALF_LIFE_DAYS.session)} else 1 end)`;
};
