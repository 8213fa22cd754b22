import { Presets, SingleBar } from 'cli-progress';
import { printJson, visible } from './output.js';

export interface Progress {
  update(done: number): void;
  stop(): void;
}

/**
 * What a long verb says: on stdout for people, on stderr when stdout is for one JSON object. Progress is always on
 * stderr.
 */
export class ProgressOutput {
  private steps = 0;

  constructor(private readonly json: boolean) {}

  step(title: string): void {
    this.line(`${this.steps > 0 ? '\n' : ''}${++this.steps}. ${title}`);
  }

  line(text: string): void {
    (this.json ? process.stderr : process.stdout).write(`${visible(text)}\n`);
  }

  bar(what: string, total: number): Progress {
    return progressBar(what, total);
  }

  result(value: object): void {
    if (this.json) printJson(value);
  }
}

/** A progress bar on a terminal, otherwise a line for each tenth; on stderr. */
export const progressBar = (what: string, total: number): Progress =>
  process.stderr.isTTY ? barOf(what, total) : linesOf(what, total);

function barOf(what: string, total: number): Progress {
  const format = `   ${what} {bar} {value}/{total}`;
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true }, Presets.shades_classic);
  bar.start(total, 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}

function linesOf(what: string, total: number): Progress {
  const every = Math.max(1, Math.ceil(total / 10));
  return {
    update: (done) => {
      if (done % every === 0 || done === total) process.stderr.write(`   ${what} ${done}/${total}\n`);
    },
    stop: () => undefined,
  };
}
