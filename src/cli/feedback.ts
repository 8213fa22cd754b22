import { Argument, Command, Option } from 'commander';
import { OPERATOR } from '../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../common/fields/cursor.js';
import { Problem } from '../common/problem/problem.js';
import type { Query } from '../common/tenancy/cross-tenant.js';
import { REQUEST_ACTIONS, REQUEST_STATUSES } from '../modules/continuity/feedback/requests.types.js';
import { DECLARATION_STATES, VERDICTS } from '../modules/continuity/feedback/revenue.types.js';
import { FORMATS, writeRecords, type Format } from './feedback/feedback-export.js';
import {
  amountOf,
  KINDS,
  listRecords,
  readRecords,
  wordsOf,
  type FeedbackRecord,
  type RecordFilter,
} from './feedback/feedback-records.js';
import { acrossTenants } from './migrated.js';
import { momentReader } from './moment.js';
import { print, report, table, UsageError, UserError, type OutputOptions } from './output.js';
import { uuidReader } from './uuid-argument.js';
import { readWords } from './words.js';
import { wholeNumber } from './whole-number.js';

const STATUSES = [...REQUEST_STATUSES, ...DECLARATION_STATES, 'partial', 'complete', 'given'];
const DECISIONS = [...REQUEST_ACTIONS, ...VERDICTS];

export const feedbackCommand = (): Command =>
  new Command('feedback')
    .description('read what tenants ask for, declare, answer and say with tips; answer requests and declarations')
    .addCommand(list())
    .addCommand(exportAll())
    .addCommand(answer());

const withFilters = (command: Command): Command =>
  command
    .option('--tenant <tenant>', 'only of this tenant')
    .addOption(new Option('--kind <kind>', `only ${KINDS.join(', ')}`).choices(KINDS))
    .addOption(new Option('--status <status>', 'only with this status, as its kind has it').choices(STATUSES))
    .option('--since <time>', 'only since then: a day, a time, or 36h or 7d ago', momentReader('ago'))
    .option('--json', 'print one JSON object');

interface ListOptions extends OutputOptions, RecordFilter {
  limit: number;
  cursor?: string;
}

const list = () =>
  withFilters(new Command('list'))
    .description('list feature requests, revenue declarations, survey responses and tips of all tenants, newest first')
    .option('--limit <count>', 'how many, up to 200', wholeNumber(1, 200), 50)
    .option('--cursor <cursor>', 'next_cursor of the page before')
    .action((options: ListOptions) =>
      filtered(options, async (query) => {
        const after = positionOf(options.cursor);
        const rows = await listRecords(query, options, { after, limit: options.limit + 1 });
        const { page, next_cursor } = takePage(rows, options.limit, ({ position }) => position);
        const feedback = page.map(({ record }) => record);
        print(options, { feedback, next_cursor }, () => [
          ...table(['KIND', 'TENANT', 'ID', 'AT', 'STATUS', 'BY', 'AMOUNT', 'TEXT'], feedback.map(cellsOf)),
          ...(next_cursor ? [`More: --cursor ${next_cursor}`] : []),
        ]);
      }),
    );

interface ExportOptions extends OutputOptions, RecordFilter {
  out?: string;
  format: Format;
}

const exportAll = () =>
  withFilters(new Command('export'))
    .description('write the same whole, to a file or standard output')
    .addOption(new Option('--format <format>', 'JSON Lines or CSV').choices(FORMATS).default('jsonl'))
    .option('--out <file>', 'the file to make, readable by its owner alone')
    .action((options: ExportOptions) => {
      const { out, format, json } = options;
      if (json && out === undefined)
        throw new UsageError('--json prints one object about the file; name it with --out');
      return filtered(options, async (query) => {
        await query('begin isolation level repeatable read read only');
        const records = await writeRecords(readRecords(query, options), format, out);
        const to = out ?? 'standard output';
        if (out === undefined) report(`Wrote ${records} records to ${to}.`);
        else print(options, { file: out, format, records }, () => [`Wrote ${records} records to ${to}.`]);
      });
    });

interface AnswerOptions extends OutputOptions {
  text: string;
  decision?: string;
}

const answer = () =>
  new Command('answer')
    .description(
      'answer a feature request or a declaration: its tenant sees the text, and an event and a receipt of it',
    )
    .argument('<tenant>')
    .addArgument(
      new Argument('<id>', 'of the request or declaration, as svc feedback list shows it').argParser(
        uuidReader('A record'),
      ),
    )
    .requiredOption('--text <words>', 'what to say, in 1 to 2000 characters', readWords)
    .addOption(
      new Option(
        '--decision <decision>',
        `what becomes of it: of a request ${REQUEST_ACTIONS.join(', ')}; of a declaration ${VERDICTS.join(', ')}`,
      ).choices(DECISIONS),
    )
    .option('--json', 'print one JSON object')
    .action(async (tenantId: string, id: string, options: AnswerOptions) => {
      const { sendAnswer } = await import('./feedback/feedback-answer.js');
      const { kind, status, operatorAnswer } = await sendAnswer(OPERATOR, { tenantId, id, ...options });
      print(options, { tenant_id: tenantId, kind, id, status, answer: operatorAnswer }, () => [
        `Answered ${kind} ${id} of ${tenantId}, which is ${status}.`,
      ]);
    });

/** @throws UserError for a tenant that there is not */
const filtered = <T>({ tenant }: RecordFilter, work: (query: Query) => Promise<T>): Promise<T> =>
  acrossTenants(async (query) => {
    const found = tenant === undefined || (await query('select from tenant where tenant_id = $1', [tenant])).length > 0;
    if (!found) throw new UserError(`There is no tenant ${tenant}; svc tenant list shows them`);
    return work(query);
  });

/** @throws UsageError */
function positionOf(cursor: string | undefined): [number, string] | undefined {
  try {
    return decodeCursor(cursor, ['integer', 'uuid'], '--cursor');
  } catch (error) {
    throw error instanceof Problem ? new UsageError(error.message) : error;
  }
}

const SHOWN = 60;

function cellsOf(record: FeedbackRecord): string[] {
  const { kind, tenant_id, id, at, status, principal } = record;
  const { title, text } = wordsOf(record);
  const { amount, unit } = amountOf(record);
  const said = [...[title, text].filter((part) => part !== '').join(': ')];
  const shown = said.length > SHOWN ? `${said.slice(0, SHOWN - 1).join('')}…` : said.join('');
  return [kind, tenant_id, id, `${at.slice(0, 19)}Z`, status, principal, `${amount} ${unit}`.trim(), shown];
}
