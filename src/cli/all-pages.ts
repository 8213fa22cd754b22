/** As much as a list of the daemon shows at once. */
const PAGE = 200;

interface PageAsked {
  limit: number;
  cursor?: string;
}

/** Everything that a list has, page by page. */
export async function readAllPages<Page extends { next_cursor: string | null }, Item>(
  read: (asked: PageAsked) => Promise<Page>,
  itemsOf: (page: Page) => Item[],
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    all.push(...itemsOf(page));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
