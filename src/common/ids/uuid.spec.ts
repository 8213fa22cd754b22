import { expect, it } from 'vitest';
import { validate, version } from 'uuid';
import { isUuid, isWrittenUuid, UUID_FORM } from './uuid-form.js';
import { uuid } from './uuid.js';

/** The time in an id, in milliseconds since 1970: its first 48 bits. */
const timeOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

it('ids are of version 7, of the time at which they are made, and ascend', () => {
  const begun = Date.now();
  const ids = Array.from({ length: 20_000 }, uuid);
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(timeOf(ids[0]!)).toBeGreaterThanOrEqual(begun);
  expect(timeOf(ids.at(-1)!)).toBeLessThanOrEqual(Date.now());
});

it('ids of one millisecond do not say what the next one is', () => {
  const ids = Array.from({ length: 2_000 }, uuid);
  expect(new Set(ids.map((id) => id.slice(-10))).size).toBe(ids.length);
});

it('ids are read in either case, and compared as they are written', () => {
  const id = uuid();
  expect([isUuid(id), isWrittenUuid(id)]).toEqual([true, true]);
  expect([isUuid(id.toUpperCase()), isWrittenUuid(id.toUpperCase())]).toEqual([true, false]);
  // Of any version: PostgreSQL looks at none.
  expect(isUuid('00000000-0000-0000-0000-000000000000')).toBe(true);
  for (const text of ['', id.slice(1), `${id}0`, `${id}\n`, id.replaceAll('-', ''), `{${id}}`, `${id} or true`])
    expect([isUuid(text), isWrittenUuid(text)]).toEqual([false, false]);
  expect(new RegExp(`^(seat):${UUID_FORM}$`).exec(`seat:${id}`)).toHaveLength(2);
});
