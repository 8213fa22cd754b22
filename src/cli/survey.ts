import { Argument, Command, InvalidArgumentError } from 'commander';
import { TIERS } from '../common/contract/caller.js';
import { OPERATOR } from '../common/evidence-log/audit-trail.js';
import { CrossTenant, type Query } from '../common/tenancy/cross-tenant.js';
import type { SurveyWindowsService } from '../modules/continuity/feedback/survey-windows.service.js';
import { describeFault, SurveyFolder } from '../modules/continuity/feedback/survey-folder.js';
import { currentSurvey, faultOfEdit, stateOf } from '../modules/continuity/feedback/surveys.rules.js';
import { completeSurveys } from '../modules/continuity/feedback/surveys.store.js';
import type { KnownSurvey } from '../modules/continuity/feedback/surveys.types.js';
import { acrossTenants } from './migrated.js';
import { momentReader } from './moment.js';
import { print, report, table, tableTime, UserError, type OutputOptions, type Line } from './output.js';

export const surveyCommand = (): Command =>
  new Command('survey')
    .description('list the surveys of SVC_SURVEYS_DIR, open and close them for the whole server')
    .addCommand(list())
    .addCommand(open())
    .addCommand(close());

const list = () =>
  new Command('list')
    .description('list the surveys with their windows and responses, and what is wrong with their files')
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions) =>
      acrossTenants(async (query, settings) => {
        const folder = new SurveyFolder(settings.feedback.surveysDir);
        const { surveys, faults } = await readAll(query, folder);
        print(options, { folder: folder.path, surveys, faults }, () => linesOf(surveys));
        for (const fault of faults) report(`svc: ${folder.path}: ${describeFault(fault)}`);
      }),
    );

const version = new Argument('[version]', 'one of its versions').argParser((text: string) => {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A version is a whole number from 1.');
});

const open = () =>
  new Command('open')
    .description('open the newest version of a survey, or the named one, at once; it becomes the current one')
    .argument('<survey>')
    .addArgument(version)
    .option('--until <time>', 'when it closes: a day, a time, or 36h or 14d from now', momentReader('from now'))
    .option('--json', 'print one JSON object')
    .action(async (surveyId: string, wanted: number | undefined, options: OutputOptions & { until?: Date }) => {
      const opened = await change((windows) =>
        windows.open(OPERATOR, { surveyId, version: wanted }, options.until ?? null),
      );
      print(options, changed(opened), () => [
        `Opened ${surveyId} ${opened.version}${opened.closesAt ? ` until ${tableTime(opened.closesAt)}` : ''}.`,
      ]);
    });

const close = () =>
  new Command('close')
    .description('close every version of a survey, or the named one, at once')
    .argument('<survey>')
    .addArgument(version)
    .option('--json', 'print one JSON object')
    .action(async (surveyId: string, wanted: number | undefined, options: OutputOptions) => {
      const closed = await change((windows) => windows.close(OPERATOR, { surveyId, version: wanted }));
      print(options, { closed: closed.map(changed) }, () =>
        closed.length > 0
          ? closed.map((survey) => `Closed ${surveyId} ${survey.version}.`)
          : [`${surveyId} was closed before.`],
      );
    });

/** Signing takes the services of the API, which a list can do without. */
async function change<T>(work: (windows: SurveyWindowsService) => Promise<T>): Promise<T> {
  const { asOperator } = await import('./operator.js');
  const windows = await import('../modules/continuity/feedback/survey-windows.service.js');
  return asOperator(async (services, { settings }) => {
    const { tenantId } = settings.bootstrap;
    const found = await services
      .get(CrossTenant)
      .run('find tenant', (query) => query('select from tenant where tenant_id = $1', [tenantId]));
    if (found.length === 0)
      throw new UserError(
        `SVC_BOOTSTRAP_TENANT_ID is ${tenantId}, and there is no such tenant. Set it as svc start has it: event and receipt are kept there`,
      );
    return work(services.get(windows.SurveyWindowsService));
  });
}

const changed = ({ surveyId, version, opensAt, closesAt }: KnownSurvey) => ({
  survey_id: surveyId,
  version,
  opens_at: opensAt,
  closes_at: closesAt,
});

interface Listed {
  survey_id: string;
  version: number;
  title: string;
  file: string;
  tiers: readonly string[];
  state: string;
  current_for: string[];
  opens_at: Date | null;
  closes_at: Date | null;
  window_set_by: string;
  window_set_at: Date | null;
  complete: number;
  partial: number;
}

async function readAll(query: Query, folder: SurveyFolder) {
  const { surveys: found, faults } = await folder.read();
  const { surveys, now } = await completeSurveys(query, found);
  const counts = await query<{ survey_id: string; version: number; complete: number; partial: number }>(
    `select survey_id, survey_version as version, count(completed_at)::int as complete,
       count(*) filter (where completed_at is null)::int as partial
     from survey_response group by 1, 2`,
  );
  const listed = surveys.map((survey): Listed => {
    const { surveyId, version: number, title, file, tiers, opensAt, closesAt, windowSetBy, windowSetAt } = survey;
    const count = counts.find((row) => row.survey_id === surveyId && row.version === number);
    return {
      survey_id: surveyId,
      version: number,
      title,
      file,
      tiers,
      state: stateOf(survey, now),
      current_for: TIERS.filter((tier) => currentSurvey(surveys, tier, now) === survey),
      opens_at: opensAt,
      closes_at: closesAt,
      window_set_by: windowSetBy ?? 'file',
      window_set_at: windowSetAt,
      complete: count?.complete ?? 0,
      partial: count?.partial ?? 0,
    };
  });
  return { surveys: listed, faults: [...faults, ...surveys.filter(({ isEdited }) => isEdited).map(faultOfEdit)] };
}

const time = (moment: Date | null): string => (moment ? tableTime(moment) : '-');

const linesOf = (surveys: Listed[]): Line[] =>
  table(
    ['SURVEY', 'VERSION', 'STATE', 'OPENS', 'CLOSES', 'SET BY', 'TIERS', 'CURRENT FOR', 'COMPLETE', 'PARTIAL'],
    surveys.map((one) => [
      one.survey_id,
      String(one.version),
      one.state,
      time(one.opens_at),
      time(one.closes_at),
      one.window_set_by,
      one.tiers.join(','),
      one.current_for.join(',') || '-',
      String(one.complete),
      String(one.partial),
    ]),
  );
