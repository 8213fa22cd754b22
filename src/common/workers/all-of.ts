/** Waits for all, whatever becomes of one. @throws what the first of them, in their order, failed with */
export async function allOf(all: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(all);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
