import { Flag, Integer, Text } from './fields.js';

/** What every list takes (D11). */
export class PageQuery {
  @Integer({ about: 'How many items at most.', min: 1, max: 200, default: 50 })
  limit!: number;

  @Text({ about: 'The next_cursor of the page before; absent for the first page.', optional: true, min: 1, max: 2048 })
  cursor?: string;
}

/** What lists of the daemon say of a page: its `count`, `has_more` and `next_cursor`. */
export const PageCount = () => Integer({ about: 'How many this page holds.', min: 0 });
export const HasMore = () => Flag({ about: 'Whether there are more.' });
export const NextCursor = () => Text({ about: 'The cursor of the next page; null on the last one.', nullable: true });
