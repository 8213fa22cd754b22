import { describe, expect, it } from 'vitest';
import { exampleOf, valueOf } from './example.js';
import { Choice, Integer, ListOf, Nested, Text, Uuid } from './fields.js';

class Part {
  @Text({ about: 'A part.', example: 'left' })
  side!: string;
  @Nested({ about: 'A part of it.', type: () => Part, optional: true })
  part?: Part;
}

class Whole {
  @Uuid({ about: 'Its id.' })
  id!: string;
  @Text({ about: 'A name.', max: 4 })
  shortName!: string;
  @Choice({ about: 'A kind.', values: ['a', 'b'], default: 'b' })
  kind!: string;
  @Integer({ about: 'How many.', optional: true, min: 3 })
  count?: number;
  @Text({ about: 'A colour.', optional: true, example: 'red' })
  colour?: string;
  @ListOf({ about: 'Its parts.', type: () => Part })
  parts!: Part[];
  @Text({ about: 'The next page.', nullable: true })
  next_cursor!: string | null;
}

describe('the example of a class', () => {
  it('shows what a request needs, and what its fields have an example for', () => {
    const { id, ...others } = exampleOf(Whole, 'request');
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(others).toEqual({ shortName: 'shor', colour: 'red', parts: [{ side: 'left' }], next_cursor: null });
  });

  it('shows every member of a reply, and a class within itself once', () => {
    expect(exampleOf(Whole, 'reply')).toMatchObject({ kind: 'b', count: 3, colour: 'red', parts: [{ side: 'left' }] });
  });

  it('fits the bounds and patterns of a text', () => {
    expect(valueOf({ type: 'string', pattern: '^sha256:[0-9a-f]{64}$' }, 'anything')).toMatch(/^sha256:/);
    expect(valueOf({ type: 'string', minLength: 20 }, 'word')).toHaveLength(20);
    expect(valueOf({ type: 'string' }, 'of_nobody_known')).toBe('of nobody known');
  });
});
