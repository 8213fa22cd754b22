import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import type { Settings } from '../config/settings.js';

export const LOG = Symbol('log');
export type Log = Logger;

/**
 * Longest time a line is buffered, and the size of the buffer: a system call per line would cost a busy server a tenth
 * of its time.
 */
const FLUSH_MS = 100;
const BUFFER_BYTES = 4096;

const STDOUT = 1;
const STDERR = 2;

/**
 * JSON lines on stdout, written in groups; what waits is written when the process exits. Members that can hold a
 * credential are removed whatever object they come in.
 *
 * @param stdoutIsTaken whether stdout is for something else: the lines then go to stderr
 */
export function makeLog(settings: Settings, app: string, stdoutIsTaken = false): Log {
  const destination = pino.destination({ dest: stdoutIsTaken ? STDERR : STDOUT, sync: false, minLength: BUFFER_BYTES });
  setInterval(() => destination.flush(), FLUSH_MS).unref();
  return pino(
    {
      level: settings.process.logLevel,
      base: { app, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), remove: true },
      serializers: { error: describeError },
    },
    destination,
  );
}

const SECRETS = [
  'authorization',
  'cookie',
  'api_key',
  'apiKey',
  '["x-api-key"]',
  'password',
  'secret',
  'connectionString',
  'parameters',
];

/** What of an error is logged: never a statement's parameters, which are the tenant's data. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return { name, message, code, stack, ...(cause ? { cause: describeError(cause) } : {}) };
}

/** Nest's own lines, in the same log. */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Log) {}
  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }
  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }
  error(message: unknown, ...rest: unknown[]): void {
    if (message instanceof Error) this.logger.error({ error: message }, message.message);
    else this.logger.error({ context: rest.at(-1), stack: rest.length > 1 ? rest[0] : undefined }, String(message));
  }
  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }
  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }
}
