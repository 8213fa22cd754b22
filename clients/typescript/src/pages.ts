/** A page of a list, by cursor. */
export interface Page {
  next_cursor?: string | null;
}

/**
 * All pages of a list, one after the other; the next one is asked for when it is wanted.
 * @param ask for the page at a cursor; without one for the first
 */
export async function* pagesOf<P extends Page>(ask: (cursor?: string) => Promise<P>): AsyncGenerator<P, void, void> {
  let cursor: string | undefined;
  do {
    const page = await ask(cursor);
    yield page;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** All items of such a list. @param pick what a page lists */
export async function* itemsOf<P extends Page, T>(
  ask: (cursor?: string) => Promise<P>,
  pick: (page: P) => readonly T[],
): AsyncGenerator<T, void, void> {
  for await (const page of pagesOf(ask)) yield* pick(page);
}
