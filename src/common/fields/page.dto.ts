import { Integer, Text } from './fields.js';

/** What every list takes (D11). */
export class PageQuery {
  @Integer({ about: 'How many items at most.', min: 1, max: 200, default: 50 })
  limit!: number;

  @Text({ about: 'The next_cursor of the page before; absent for the first page.', optional: true, min: 1, max: 2048 })
  cursor?: string;
}
