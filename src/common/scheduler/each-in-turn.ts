import { isCanceled, isDatabaseUnavailable } from '../database/unavailable.js';

/**
 * Does work for one after another, of which each has its turn whatever becomes of those before it: neither what fails
 * of one tenant nor that it has much to do keeps another waiting.
 * @param work answers true where there is more to do: its next turn comes after those of the others
 * @throws at once where the database is away; else, when nothing is left, what failed first
 */
export async function eachInTurn<T>(
  all: Iterable<T> | AsyncIterable<T>,
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  const takeTurn = async (one: T): Promise<boolean> => {
    try {
      return (await work(one)) === true;
    } catch (error) {
      // A statement that takes more than its time does so each time.
      if (isDatabaseUnavailable(error) && !isCanceled(error)) throw error;
      failures.push(error);
      return false;
    }
  };
  for (let round: typeof all | undefined = all; round;) {
    const again: T[] = [];
    for await (const one of round) if (await takeTurn(one)) again.push(one);
    round = again.length > 0 ? again : undefined;
  }
  if (failures.length > 0) throw failures[0];
}
