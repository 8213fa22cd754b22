import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_MS = 10_000;
/** Of the time between two looks in which the event loop was at work: below it the process rests. */
const REST = 0.02;
/** The same until the first collection, which pays most: a slow machine without requests is above the other. */
const REST_AFTER_START = 0.1;
/** Heap beyond what it was after the last collection, from which on a collection pays. */
const WORTH_BYTES = 24 * 1024 * 1024;

/** What the flag --expose-gc of V8 adds: `last-resort` also gives pages back and drops what was compiled long ago. */
type Collect = (options: { flavor: 'last-resort' }) => void;

/**
 * Gives memory back while the process rests: V8 collects garbage when something is allocated, so that what loading
 * modules or a burst of requests left stays until then. A collection takes some tenths of a second; a process that is
 * at work is left to V8.
 */
export function collectAtRest(): void {
  let kept = 0;
  let last = performance.eventLoopUtilization();
  const look = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    const rest = kept === 0 ? REST_AFTER_START : REST;
    if (utilization > rest || process.memoryUsage().heapTotal < kept + WORTH_BYTES) return;
    collector()({ flavor: 'last-resort' });
    kept = process.memoryUsage().heapTotal;
  };
  setInterval(look, LOOK_MS).unref();
}

function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
