import type { Query } from '../../common/tenancy/cross-tenant.js';
import type { SurveyAnswer, SurveyDefinition } from '../../modules/continuity/feedback/surveys.types.js';

export const KINDS = ['request', 'declaration', 'survey', 'tip'] as const;
type Kind = (typeof KINDS)[number];

export interface RecordFilter {
  tenant?: string | undefined;
  kind?: Kind | undefined;
  status?: string | undefined;
  since?: Date | undefined;
}

/** Where the page before ended: microseconds since 1970, and the id. */
export type Position = [at: number, id: string];

/** What a tenant sent: what every kind has, and what is the kind's own. */
export type FeedbackRecord = Shared & Own;

interface Shared {
  tenant_id: string;
  id: string;
  at: string;
  status: string;
  principal: string;
  agent_id: string | null;
}

type Own =
  | {
      kind: 'request';
      title: string;
      body: string;
      category: string;
      votes: number;
      updated_at: string;
      history: object[];
    }
  | ({ kind: 'declaration'; subject: string; note: string | null; request_id: string | null; updated_at: string } & {
      amount_minor: number;
      currency: string;
      period: string;
      history: object[];
    })
  | ({ kind: 'survey'; survey_id: string; version: number; title: string | null; answers: AnswerRecord[] } & {
      started_at: string;
      completed_at: string | null;
    })
  | { kind: 'tip'; credits: number; message: string | null };

interface AnswerRecord {
  question_id: string;
  question: string | null;
  answer: string | string[] | number | undefined;
}

interface Row extends Omit<Shared, 'at'> {
  kind: Kind;
  at: Date;
  position: string;
  detail: object;
}

const iso = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Each tip by the index of (tenant, reason, reference), since a ledger is mostly other transfers. */
const ALL = `
  select 'request' as kind, tenant_id, request_id as id, submitted_at as at, status, submitted_by as principal, agent_id
  from feedback_request
  union all
  select 'declaration', tenant_id, declaration_id, declared_at, state, declared_by, agent_id from revenue_declaration
  union all
  select 'survey', tenant_id, response_id, updated_at, case when completed_at is null then 'partial' else 'complete' end,
    principal, null
  from survey_response
  union all
  select 'tip', t.tenant_id, l.transfer_id, l.created_at, 'given', l.principal, l.agent_id
  from tenant t join ledger_transfer l on l.tenant_id = t.tenant_id and l.reason = 'tip' and l.reference is not null`;

const DETAILS: Record<Kind, string> = {
  request: `
    select jsonb_build_object('title', r.title, 'body', r.body, 'category', r.category, 'votes', r.votes,
      'updated_at', ${iso('r.updated_at')}, 'history', (
        select jsonb_agg(jsonb_build_object('action', c.action, 'from', c.from_status, 'to', c.to_status,
          'principal', c.principal, 'reason', c.reason, 'note', c.note, 'at', ${iso('c.changed_at')}) order by c.seq)
        from feedback_request_change c where c.tenant_id = r.tenant_id and c.request_id = r.request_id))
    from feedback_request r where r.tenant_id = k.tenant_id and r.request_id = k.id`,
  declaration: `
    select jsonb_build_object('subject', d.subject, 'amount_minor', d.amount_minor, 'currency', d.currency,
      'period', d.period, 'note', d.note, 'request_id', d.request_id, 'updated_at', ${iso('d.updated_at')}, 'history', (
        select jsonb_agg(jsonb_build_object('from', c.from_state, 'to', c.to_state, 'principal', c.principal,
          'reason', c.reason, 'at', ${iso('c.changed_at')}) order by c.seq)
        from revenue_declaration_change c where c.tenant_id = d.tenant_id and c.declaration_id = d.declaration_id))
    from revenue_declaration d where d.tenant_id = k.tenant_id and d.declaration_id = k.id`,
  survey: `
    select jsonb_build_object('survey_id', r.survey_id, 'version', r.survey_version, 'started_at', ${iso('r.started_at')},
      'completed_at', ${iso('r.completed_at')}, 'answers', r.answers, 'definition', s.definition)
    from survey_response r left join survey s on s.survey_id = r.survey_id and s.version = r.survey_version
    where r.tenant_id = k.tenant_id and r.principal = k.principal and r.response_id = k.id`,
  tip: `
    select jsonb_build_object('credits', e.amount, 'message', l.note)
    from ledger_transfer l join ledger_entry e
      on e.tenant_id = l.tenant_id and e.transfer_id = l.transfer_id and e.account_id = 'platform'
    where l.tenant_id = k.tenant_id and l.transfer_id = k.id`,
};

/** Keys are sorted and bounded first: what a record says is read of those alone that are shown. */
const SELECT = `
  select k.*, (extract(epoch from k.at) * 1000000)::bigint::text as position,
    case k.kind ${KINDS.map((kind) => `when '${kind}' then (${DETAILS[kind]})`).join(' ')} end as detail
  from (
    select * from (${ALL}) a
    where ($1::text is null or a.tenant_id = $1) and ($2::text is null or a.kind = $2)
      and ($3::text is null or a.status = $3) and ($4::timestamptz is null or a.at >= $4)
      and ($5::bigint is null or (a.at, a.id) < (timestamptz 'epoch' + $5 * interval '1 microsecond', $6::uuid))
    order by a.at desc, a.id desc limit $7
  ) k order by k.at desc, k.id desc`;

const parametersOf = ({ tenant, kind, status, since }: RecordFilter, after?: Position, limit?: number): unknown[] => [
  tenant ?? null,
  kind ?? null,
  status ?? null,
  since ?? null,
  ...(after ?? [null, null]),
  limit ?? null,
];

/** Newest first, over all tenants, each with its place in the list. */
export async function listRecords(
  query: Query,
  filter: RecordFilter,
  page: { after?: Position | undefined; limit: number },
): Promise<{ record: FeedbackRecord; position: Position }[]> {
  const rows = await query<Row>(SELECT, parametersOf(filter, page.after, page.limit));
  return rows.map((row) => ({ record: recordOf(row), position: [Number(row.position), row.id] }));
}

const BATCH = 500;

/** All of them, in one transaction, a batch at a time in memory. */
export async function* readRecords(query: Query, filter: RecordFilter): AsyncGenerator<FeedbackRecord> {
  await query(`declare records no scroll cursor for ${SELECT}`, parametersOf(filter));
  for (;;) {
    const rows = await query<Row>(`fetch ${BATCH} from records`);
    for (const row of rows) yield recordOf(row);
    if (rows.length < BATCH) return;
  }
}

function recordOf({ position: _, detail, at, ...row }: Row): FeedbackRecord {
  const { kind, tenant_id, id, status, principal, agent_id } = row;
  const own = kind === 'survey' ? surveyOf(detail as SurveyDetail) : detail;
  return { kind, tenant_id, id, at: at.toISOString(), status, principal, agent_id, ...own } as FeedbackRecord;
}

interface SurveyDetail {
  answers: Record<string, SurveyAnswer>;
  /** Null of a response that is older than the keeping of definitions. */
  definition: SurveyDefinition | null;
}

function surveyOf({ definition, answers, ...rest }: SurveyDetail): object {
  return { ...rest, title: definition?.title ?? null, answers: answersOf(answers, definition) };
}

/** The answers with their questions, in the order of these. */
function answersOf(answers: Record<string, SurveyAnswer>, definition: SurveyDefinition | null): AnswerRecord[] {
  const ids = definition?.questions.map(({ questionId }) => questionId) ?? Object.keys(answers);
  return ids.flatMap((id) => {
    const answer = Object.hasOwn(answers, id) ? answers[id] : undefined;
    if (!answer) return [];
    const question = definition?.questions.find(({ questionId }) => questionId === id)?.text ?? null;
    const { choice, choices, scale, text } = answer;
    return [{ question_id: id, question, answer: choice ?? choices ?? scale ?? text }];
  });
}

/** What a record is about, and what it says, in one text each. */
export function wordsOf(record: FeedbackRecord): { title: string; text: string } {
  switch (record.kind) {
    case 'request':
      return { title: record.title, text: record.body };
    case 'declaration':
      return { title: record.subject, text: record.note ?? '' };
    case 'survey':
      return { title: `${record.survey_id} ${record.version}`, text: record.answers.map(lineOf).join('; ') };
    case 'tip':
      return { title: '', text: record.message ?? '' };
  }
}

const lineOf = ({ question_id, answer }: AnswerRecord): string => `${question_id}: ${[answer].flat().join(', ')}`;

/** The amount of a declaration or a tip. */
export function amountOf(record: FeedbackRecord): { amount: number | ''; unit: string } {
  if (record.kind === 'tip') return { amount: record.credits, unit: 'credits' };
  if (record.kind !== 'declaration') return { amount: '', unit: '' };
  return { amount: record.amount_minor, unit: `${record.currency} minor units ${record.period}` };
}
