import { setImmediate as letOthersRun } from 'node:timers/promises';

/** Steps of some ten microseconds each between two turns of others. */
const SLICE = 200;

/** Lets other requests run now and then while a long row of small steps is done. */
export class Turns {
  private steps = 0;

  /** Call it before each step; most calls return at once. */
  count(): Promise<void> | undefined {
    this.steps++;
    return this.steps % SLICE === 0 ? letOthersRun() : undefined;
  }
}
