import { describe, expect, it } from 'vitest';
import { columnName, columnNumber, placeOf } from './locations.rules.js';
import type { LocatedRange } from './locations.types.js';

const pages: LocatedRange[] = [
  { start: 0, end: 10, page: 1 },
  { start: 12, end: 20, page: 2 },
  { start: 22, end: 30, page: 3 },
];
const rows: LocatedRange[] = [
  { start: 0, end: 10, sheet: 'Costs', cells: 'A1:C1' },
  { start: 11, end: 20, sheet: 'Costs', cells: 'A2:C2' },
  { start: 21, end: 30, sheet: 'Costs', cells: 'A3:D3' },
  { start: 40, end: 50, sheet: 'Staff', cells: 'A1:B1' },
];

describe('the place of a passage', () => {
  it('is the page that it stands on', () => {
    expect(placeOf(pages, 0, 10)).toEqual({ page: 1 });
    expect(placeOf(pages, 13, 14)).toEqual({ page: 2 });
    expect(placeOf(pages, 29, 30)).toEqual({ page: 3 });
  });

  it('says where it ends when that is another page', () => {
    expect(placeOf(pages, 9, 13)).toEqual({ page: 1, to: { page: 2 } });
    expect(placeOf(pages, 0, 30)).toEqual({ page: 1, to: { page: 3 } });
  });

  it('holds where the passage begins or ends between ranges', () => {
    expect(placeOf(pages, 10, 22)).toEqual({ page: 2 });
    expect(placeOf(pages, 5, 12)).toEqual({ page: 1 });
    expect(placeOf(pages, 25, 99)).toEqual({ page: 3 });
  });

  it('is none where nothing of the passage has one', () => {
    expect(placeOf([], 0, 5)).toBeUndefined();
    expect(placeOf(pages, 10, 12)).toBeUndefined();
    expect(placeOf(pages, 30, 40)).toBeUndefined();
  });

  it('joins the cells of rows of one sheet', () => {
    expect(placeOf(rows, 0, 30)).toEqual({ sheet: 'Costs', cells: 'A1:D3' });
    expect(placeOf(rows, 12, 13)).toEqual({ sheet: 'Costs', cells: 'A2:C2' });
    expect(placeOf(rows, 22, 45)).toEqual({ sheet: 'Costs', cells: 'A3:D3', to: { sheet: 'Staff', cells: 'A1:B1' } });
  });
});

describe('the name of a column', () => {
  it('is the one that spreadsheets show', () => {
    expect([0, 25, 26, 51, 52, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']);
    expect(['', 'A', 'Z', 'AA', 'ZZ', 'XFD'].map(columnNumber)).toEqual([0, 1, 26, 27, 702, 16_384]);
  });
});
