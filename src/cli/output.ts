import { SettingsInvalid } from '../common/config/settings.js';

/** What every verb can be asked for. */
export interface OutputOptions {
  json?: boolean;
}

/** A failure whose message tells the user all there is to know: printed without a stack. */
export class UserError extends Error {}

/** With --json one JSON object on stdout; otherwise lines for people. */
export function print(options: OutputOptions, value: object, lines: () => string[]): void {
  process.stdout.write(options.json ? `${JSON.stringify(value)}\n` : `${lines().join('\n')}\n`);
}

/** Tells why the command failed, on stderr and with --json also on stdout, and sets the exit code. */
export function fail(error: unknown, json: boolean): void {
  const known = error instanceof UserError || error instanceof SettingsInvalid;
  const message = error instanceof Error ? error.message : String(error);
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, error: message })}\n`);
  process.stderr.write(`svc: ${message}\n`);
  if (!known && error instanceof Error && error.stack) process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
}
