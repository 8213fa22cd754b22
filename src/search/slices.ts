import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may keep the event loop before others come first, in milliseconds. */
const SLICE_MS = 4;

/**
 * Runs work that says by `yield` where it may be interrupted, and lets other requests run in between. The work must
 * yield at least every millisecond or so.
 */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < end);
    await nextTurn();
  }
}

/** The same without a pause: for little work. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
