import { ADVISORY_LOCKS } from '../../../common/database/advisory-locks.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { definitionOf, isSameDefinition } from './surveys.rules.js';
import type { KnownSurvey, Survey, SurveyDefinition, SurveyWindow } from './surveys.types.js';

/** The surveys of the folder with what the database has of them, and the database's time. */
export interface KnownSurveys {
  surveys: KnownSurvey[];
  now: Date;
}

interface KeptRow {
  now: Date;
  definition: SurveyDefinition | null;
  opens_at: Date | null;
  closes_at: Date | null;
  changed_by: string | null;
  changed_at: Date | null;
}

/**
 * The window that an operator set last takes the place of the file's, and the definition that was answered that of what
 * the file says now.
 */
export async function completeSurveys(query: Query, surveys: readonly Survey[]): Promise<KnownSurveys> {
  const rows = await query<KeptRow>(
    `select clock_timestamp() as now, s.definition, w.opens_at, w.closes_at, w.changed_by, w.changed_at
     from unnest($1::text[], $2::integer[]) with ordinality f (survey_id, version, place)
       left join survey s using (survey_id, version)
       left join lateral (
         select * from survey_window c where c.survey_id = f.survey_id and c.version = f.version order by c.seq desc limit 1
       ) w on true
     order by f.place`,
    [surveys.map(({ surveyId }) => surveyId), surveys.map(({ version }) => version)],
  );
  return { surveys: rows.map((row, index) => complete(surveys[index]!, row)), now: rows[0]?.now ?? new Date() };
}

function complete(survey: Survey, { definition, changed_by, changed_at, ...set }: KeptRow): KnownSurvey {
  const window = changed_at ? { opensAt: set.opens_at, closesAt: set.closes_at } : survey;
  return {
    ...survey,
    ...definition,
    opensAt: window.opensAt,
    closesAt: window.closesAt,
    isAnswered: definition !== null,
    isEdited: definition !== null && !isSameDefinition(definition, survey),
    windowSetBy: changed_by,
    windowSetAt: changed_at,
  };
}

/** Keeps the definition for the responses to it. @returns the one that is kept, which another may have been before */
export async function keepDefinition(query: Query, survey: Survey): Promise<SurveyDefinition> {
  const key = [survey.surveyId, survey.version];
  await query('insert into survey (survey_id, version, definition) values ($1, $2, $3::jsonb) on conflict do nothing', [
    ...key,
    JSON.stringify(definitionOf(survey)),
  ]);
  const [kept] = await query<{ definition: SurveyDefinition }>(
    'select definition from survey where survey_id = $1 and version = $2',
    key,
  );
  return kept!.definition;
}

/** From here to the end of the transaction nobody else opens or closes a survey. */
export async function lockWindows(query: Query): Promise<void> {
  await query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.surveyWindows]);
}

/** Sets the window of a survey; windows are locked. */
export async function setWindow(
  query: Query,
  { surveyId, version }: Pick<Survey, 'surveyId' | 'version'>,
  { opensAt, closesAt }: SurveyWindow,
  by: string,
): Promise<void> {
  await query(
    `insert into survey_window (survey_id, version, seq, opens_at, closes_at, changed_by)
     select $1, $2, coalesce(max(seq), 0) + 1, $3, $4, $5 from survey_window where survey_id = $1 and version = $2`,
    [surveyId, version, opensAt, closesAt, by],
  );
}
