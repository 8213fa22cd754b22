import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Where the log of a server stood. */
export type LogMark = ReadonlyMap<string, number>;

const filesOf = (pgData: string): string[] => globSync(join(pgData, 'log', '*.log'));

export const markLog = (pgData: string): LogMark => new Map(filesOf(pgData).map((file) => [file, statSync(file).size]));

/** The last reason that the server has logged since for ending: its stderr ends where its collector takes over. */
export function reasonSince(pgData: string, mark: LogMark): string | undefined {
  const since = filesOf(pgData).flatMap((file) => {
    const bytes = readFileSync(file);
    const from = mark.get(file) ?? 0;
    // The file of the same weekday a week ago is written over.
    return bytes
      .subarray(from <= bytes.length ? from : 0)
      .toString('utf8')
      .split('\n');
  });
  return since.findLast((line) => REASON.test(line));
}
const REASON = /\b(?:FATAL|PANIC): /;
