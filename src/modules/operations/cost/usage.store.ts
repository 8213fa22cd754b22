import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import {
  DIMENSIONS,
  type Dimension,
  type ModelTokens,
  type UsageDraft,
  type UsageFilter,
  type UsageGroup,
} from './cost.types.js';

/** The name of an event. */
type Named = Pick<UsageDraft, 'source' | 'event_id'>;

/** Usage of the open unit of work's tenant. */
@Injectable()
export class UsageStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @param drafts no two of one name @returns the names of those that were not there */
  async add(drafts: readonly UsageDraft[], createdBy: string): Promise<Named[]> {
    return this.tenancy.query<Named>(ADD, [this.tenancy.tenant, JSON.stringify(drafts), createdBy]);
  }

  /** Those of the drafts of whose name another event is kept. The time counts only where the draft was given one. */
  async findOthers(drafts: readonly (UsageDraft & { isTimed: boolean })[]): Promise<Named[]> {
    return this.tenancy.query<Named>(OTHERS, [this.tenancy.tenant, JSON.stringify(drafts)]);
  }

  /** Groups by these dimensions, in their order. */
  async list(
    filter: UsageFilter,
    by: readonly Dimension[],
    after: readonly string[] | undefined,
    take: number,
  ): Promise<UsageGroup[]> {
    const parameters = [...this.parametersOf(filter), after === undefined ? null : JSON.stringify(after), take];
    const rows = await this.tenancy.query<{ key: string[]; events: string; models: SentModel[] }>(
      groupsBy(by),
      parameters,
    );
    return rows.map(({ key, events, models }) => ({ key, events: Number(events), models: models.map(readModel) }));
  }

  /** All of it, as one group. */
  async total(filter: UsageFilter): Promise<UsageGroup> {
    return (await this.list(filter, [], undefined, 1))[0] ?? { key: [], events: 0, models: [] };
  }

  private parametersOf({ from, to, model, passport, project, surface }: UsageFilter): unknown[] {
    return [this.tenancy.tenant, from, to, model ?? null, passport ?? null, project ?? null, surface ?? null];
  }
}

interface SentModel {
  model: string;
  in: string;
  out: string;
}

const readModel = ({ model, in: tokensIn, out: tokensOut }: SentModel): ModelTokens => ({
  ...{ model, tokensIn: BigInt(tokensIn), tokensOut: BigInt(tokensOut) },
});

const ADD = `
  insert into usage_event (tenant_id, source, event_id, happened_at, day, model, tokens_in, tokens_out, passport, project, surface, created_by)
  select $1, e.source, e.event_id, e.happened_at, (e.happened_at at time zone 'UTC')::date, e.model, e.tokens_in, e.tokens_out,
    e.passport, e.project, e.surface, $3
  from json_to_recordset($2::json) e (source text, event_id text, happened_at timestamptz, model text, tokens_in bigint,
    tokens_out bigint, passport text, project text, surface text)
  order by e.source collate "C", e.event_id collate "C"
  on conflict do nothing returning source, event_id`;

const OTHERS = `
  select u.source, u.event_id
  from json_to_recordset($2::json) e (source text, event_id text, happened_at timestamptz, model text, tokens_in bigint,
    tokens_out bigint, passport text, project text, surface text, "isTimed" boolean)
  join usage_event u on u.tenant_id = $1 and u.source = e.source and u.event_id = e.event_id
  where (u.model, u.tokens_in, u.tokens_out, u.passport, u.project, u.surface)
      is distinct from (e.model, e.tokens_in, e.tokens_out, e.passport, e.project, e.surface)
    or (e."isTimed" and u.happened_at <> e.happened_at)`;

/** Text by which a group is named and sorted; a day is sorted as its text is. */
const TEXT_OF: Record<Dimension, string> = {
  day: `to_char(day, 'YYYY-MM-DD') collate "C"`,
  model: 'model',
  passport: 'passport',
  project: 'project',
  surface: 'surface',
};

/** The statement for dimensions, each of which is one of ours. Sums have all their digits as text. */
function groupsBy(by: readonly Dimension[]): string {
  const known = by.filter((one) => DIMENSIONS.includes(one)).map((one) => TEXT_OF[one]);
  const key = `array[${known.join(', ')}]::text[] collate "C"`;
  return `
    with used as (
      select ${key} as key, model as used_model, count(*) as events, sum(tokens_in) as tokens_in, sum(tokens_out) as tokens_out
      from usage_event
      where tenant_id = $1 and day between $2::date and $3::date and ($4::text is null or model = $4) and ($5::text is null or passport = $5)
        and ($6::text is null or project = $6) and ($7::text is null or surface = $7)
      group by 1, 2
    )
    select key, sum(events)::text as events,
      json_agg(json_build_object('model', used_model, 'in', tokens_in::text, 'out', tokens_out::text) order by used_model) as models
    from used
    where $8::text is null or key > (array(select json_array_elements_text($8::json)) collate "C")
    group by key order by key limit $9`;
}
