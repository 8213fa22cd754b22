/** Thrown at the end of a rehearsal, so that the unit of work rolls back with everything done. */
class Rehearsed extends Error {
  constructor(readonly result: unknown) {
    super('rehearsed');
  }
}

/**
 * Runs work in a unit of work. In a rehearsal the unit is rolled back once the work is done: its answer is what it
 * would have been.
 */
export async function rehearse<T extends { receipt_id: string | null }>(
  isRehearsal: boolean,
  run: (work: () => Promise<T>) => Promise<T>,
  work: () => Promise<T>,
): Promise<T> {
  if (!isRehearsal) return run(work);
  try {
    return await run(async () => {
      throw new Rehearsed(await work());
    });
  } catch (error) {
    if (error instanceof Rehearsed) return { ...(error.result as T), receipt_id: null };
    throw error;
  }
}
