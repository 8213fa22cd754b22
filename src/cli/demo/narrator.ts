import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  update(done: number): void;
  stop(): void;
}

/** Tells the demo: on stdout for people, on stderr when stdout is for one JSON object. Progress is always on stderr. */
export class Narrator {
  private steps = 0;

  constructor(private readonly json: boolean) {
    // Who pipes the tale into `head` has heard enough; the job still ends as it should.
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }

  step(title: string): void {
    this.line(`${this.steps > 0 ? '\n' : ''}${++this.steps}. ${title}`);
  }

  line(text: string): void {
    (this.json ? process.stderr : process.stdout).write(`${text}\n`);
  }

  /** A bar on a terminal, a line every tenth elsewhere. */
  progress(what: string, total: number): Progress {
    return process.stderr.isTTY ? barOf(what, total) : linesOf(what, total);
  }

  result(value: object): void {
    if (this.json) process.stdout.write(`${JSON.stringify(value)}\n`);
  }
}

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
