import { setTimeout as wait } from 'node:timers/promises';

const MAX_WAIT_MS = 3_000;
const LOOK_AGAIN_MS = 10;

/**
 * Waits until the transactions that write now have ended; those that begin later draw later numbers of the sequence.
 *
 * @param find the transactions that write at this moment
 * @param isStopped ends the wait
 * @returns false where one of them goes on for more than three seconds
 */
export async function areWritersDone(
  find: () => Promise<string[]>,
  isStopped: () => boolean = () => false,
): Promise<boolean> {
  let left = await find();
  const until = performance.now() + MAX_WAIT_MS;
  while (left.length > 0 && performance.now() < until && !isStopped()) {
    await wait(LOOK_AGAIN_MS);
    const now = new Set(await find());
    left = left.filter((writer) => now.has(writer));
  }
  return left.length === 0;
}
