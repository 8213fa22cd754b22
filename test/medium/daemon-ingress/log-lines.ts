import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Log } from '../../../src/common/observability/log.js';

type Line = Record<string, any> & { msg: string };

/** A log whose lines can be read back. */
export class LogLines {
  readonly lines: Line[] = [];
  readonly log: Log = pino(
    { base: null, formatters: { level: (label) => ({ level: label }) } },
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.lines.push(JSON.parse(chunk.toString()) as Line);
        done();
      },
    }),
  );

  called(message: string): Line[] {
    return this.lines.filter(({ msg }) => msg === message);
  }
}
