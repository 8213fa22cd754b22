import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { UserError, visible } from '../output.js';
import { writeWhole } from '../whole-file.js';
import { amountOf, wordsOf, type FeedbackRecord } from './feedback-records.js';

export const FORMATS = ['jsonl', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

const SHARED = ['kind', 'tenant_id', 'id', 'at', 'status', 'principal', 'agent_id'] as const;
const COLUMNS = [...SHARED, 'title', 'text', 'amount', 'unit', 'details'];

/**
 * Writes records to a file that is not there yet, or to standard output. Whatever is looked at on a terminal has no
 * control character in it: JSON has them escaped, in CSV they are shown by their code.
 * @returns how many there were
 */
export async function writeRecords(
  records: AsyncIterable<FeedbackRecord>,
  format: Format,
  file: string | undefined,
): Promise<number> {
  let count = 0;
  const counted = async function* () {
    for await (const record of records) {
      count += 1;
      yield format === 'csv' ? rowOf(record) : `${visible(JSON.stringify(record))}\n`;
    }
  };
  const write = async (to: Writable, end: boolean): Promise<void> => {
    // A spreadsheet takes a cell that begins with = for a formula.
    const rows = stringify({ header: true, columns: COLUMNS, escape_formulas: true });
    if (format === 'csv') await pipeline(Readable.from(counted()), rows, to, { end });
    else await pipeline(Readable.from(counted()), to, { end });
  };
  if (file === undefined) await write(process.stdout, false).catch(refuseClosed);
  else await writeWhole(file, (made) => write(made.createWriteStream({ flush: true }), true));
  return count;
}

/** As of `| head`. @throws UserError */
function refuseClosed(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  throw new UserError('Standard output was closed before all records were written');
}

function rowOf(record: FeedbackRecord): Record<string, string> {
  const details = Object.fromEntries(
    Object.entries(record).filter(([name]) => !(SHARED as readonly string[]).includes(name)),
  );
  const cells = { ...record, ...wordsOf(record), ...amountOf(record), details: JSON.stringify(details) };
  return Object.fromEntries(COLUMNS.map((name) => [name, visible(String(cells[name as keyof typeof cells] ?? ''))]));
}
