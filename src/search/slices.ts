/** How long work may keep the event loop before others come first, in milliseconds. */
const SLICE_MS = 4;

/** Work that waits for its next slice, in the order in which it came. */
const waiting: (() => void)[] = [];

/**
 * Runs work that says by `yield` where it may be interrupted, and lets other requests run in between. The work must
 * yield at least every millisecond or so. However much such work there is at once, one slice is done in a turn of the
 * event loop.
 */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    await nextSlice();
    const end = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < end);
  }
}

/** The same without a pause: for little work. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(beginSlice);
  });
}

/** Node.js runs what is put off within this in the next turn, after what came in meanwhile. */
function beginSlice(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(beginSlice);
}
