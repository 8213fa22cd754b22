import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { UserError } from '../common/user-error.js';

export { UserError };

/** What every verb can be asked for. */
export interface OutputOptions {
  json?: boolean;
}

/** The arguments are wrong in a way that only the subcommand can detect. */
export class UsageError extends UserError {}

/** Exit codes of every verb: docs/operations.md, "The command line". */
export const FAILED = 1;
export const MISUSED = 2;

/**
 * What a terminal obeys instead of showing: C0 but tab and line feed, DEL, C1, and what turns the direction of text
 * (Unicode, UAX 9).
 */
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text of documents, database or server as a terminal may have it. In a JSON text the strings stay the same. */
export const visible = (text: string): string =>
  text.replace(OBEYED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** One JSON object, as --json promises, on stdout. */
export const printJson = (value: object): void => void process.stdout.write(`${visible(JSON.stringify(value))}\n`);

type Style = 'bold' | 'green' | 'yellow' | 'red';

/** A line for people; with a style, it is shown in it on a terminal that has colours. */
export type Line = string | { text: string; style: Style };

/** With --json one JSON object on stdout; otherwise lines for people. */
export function print(options: OutputOptions, value: object, lines: () => readonly Line[]): void {
  if (options.json) printJson(value);
  else
    process.stdout.write(
      `${lines()
        .map((line) => shown(line, process.stdout))
        .join('\n')}\n`,
    );
}

/** Where the stream is no terminal, or NO_COLOR is set, a style changes nothing. */
const shown = (line: Line, stream: NodeJS.WriteStream): string =>
  typeof line === 'string' ? visible(line) : styleText(line.style, visible(line.text), { stream });

/** How it goes, on stderr. */
export const report = (line: Line): void => void process.stderr.write(`${shown(line, process.stderr)}\n`);

/**
 * Rows under a header line, in columns as wide as what they show: the signs of some languages take two places. The same
 * on a terminal and in a pipe, but for the style of the header.
 */
export function table(header: string[], rows: string[][]): Line[] {
  const cells = [header, ...rows].map((row) => row.map((cell) => visible(cell).replaceAll(/[\t\n]/g, ' ')));
  const widths = header.map((_, column) => cells.reduce((most, row) => Math.max(most, stringWidth(row[column]!)), 0));
  const [first, ...others] = cells.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column]! - stringWidth(cell)))
      .join('  ')
      .trimEnd(),
  );
  return [{ text: first!, style: 'bold' }, ...others];
}

/** A time in a table: to the second, in UTC. */
export const tableTime = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/**
 * Says why the command failed, on stderr and with --json also on stdout. A fault that is not foreseen comes with its
 * stack; so does every one with SVC_LOG_LEVEL=debug.
 * @returns the exit code, which is also set
 */
export async function fail(error: unknown, json: boolean): Promise<number> {
  const { explainFailure, wantsStacks } = await import('./failure.js');
  const known = explainFailure(error);
  const message = known ?? (error instanceof Error ? error.message : String(error));
  if (json) printJson({ ok: false, error: message });
  const stack = error instanceof Error ? error.stack : undefined;
  const name = styleText('red', 'svc:', { stream: process.stderr });
  process.stderr.write(`${name} ${visible(known === undefined ? (stack ?? message) : message)}\n`);
  if (known !== undefined && stack !== undefined && wantsStacks()) report(stack);
  process.exitCode = error instanceof UsageError ? MISUSED : FAILED;
  return process.exitCode;
}
