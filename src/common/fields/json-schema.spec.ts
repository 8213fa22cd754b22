import { describe, expect, it } from 'vitest';
import {
  AnyJson,
  Choice,
  DateTime,
  Decimal,
  ExtraMembersAllowed,
  Flag,
  FreeObject,
  Integer,
  IntegerList,
  ListOf,
  Nested,
  OneOf,
  Text,
  TextList,
  Url,
  Uuid,
} from './fields.js';
import { jsonSchemaOf } from './json-schema.js';

class Part {
  @Text({ about: 'A name.' })
  fullName!: string;
}

@ExtraMembersAllowed()
class OpenPart {
  @Integer({ about: 'A size.', optional: true })
  size?: number;
}

class Inherited {
  @Uuid({ about: 'An id.' })
  id!: string;

  @Text({ about: 'What a subclass overrides.' })
  word!: string;
}

class Whole extends Inherited {
  @Text({ about: 'A word.', min: 2, max: 9, pattern: /^[a-z]+$/, example: 'leave' })
  declare word: string;

  @Integer({ about: 'A count.', min: 1, max: 50, default: 8 })
  count!: number;

  @Decimal({ about: 'A share.', optional: true, nullable: true })
  share?: number | null;

  @Flag({ about: 'Whether.', default: false })
  flag!: boolean;

  @Choice({ about: 'One of them.', values: ['a', 'b'], nullable: true })
  choice!: 'a' | 'b' | null;

  @Choice({ about: 'Documented, and not filled in.', values: ['a', 'b'], optional: true, documentedDefault: 'b' })
  documented?: 'a' | 'b';

  @TextList({ about: 'Words.', max: 5, minItems: 1, maxItems: 3 })
  words!: string[];

  @DateTime({ about: 'A time.' })
  at!: string;

  @Url({ about: 'A place.', max: 100 })
  url!: string;

  @FreeObject({ about: 'Anything.' })
  free!: object;

  @Nested({ about: 'A part.', type: () => Part, nullable: true })
  part!: Part | null;

  @ListOf({ about: 'Parts.', type: () => OpenPart, min: 1, max: 2 })
  parts!: OpenPart[];

  @IntegerList({ about: 'Numbers.', min: 0, max: 9, maxItems: 4 })
  numbers!: number[];

  @AnyJson({ about: 'Any value.', default: null })
  value!: unknown;

  @OneOf({ about: 'One of two.', types: [Part, OpenPart] })
  either!: object;
}

class Circle {
  @Nested({ about: 'Itself.', type: () => Circle })
  own!: object;
}

const PART = {
  type: 'object',
  properties: { full_name: { type: 'string', description: 'A name.' } },
  required: ['full_name'],
};
const ANY_JSON = [
  { type: 'object' },
  { type: 'array', items: {} },
  ...['string', 'number', 'boolean', 'null'].map((type) => ({ type })),
];
const OPEN_PART = { type: 'object', properties: { size: { type: 'integer', description: 'A size.' } } };

describe('the JSON Schema of a DTO', () => {
  it('as an input says everything that its decorators say, and takes nothing else', () => {
    expect(jsonSchemaOf(Whole, 'input')).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid', description: 'An id.' },
        word: {
          type: 'string',
          minLength: 2,
          maxLength: 9,
          pattern: '^[a-z]+$',
          description: 'A word.',
          examples: ['leave'],
        },
        count: { type: 'integer', minimum: 1, maximum: 50, description: 'A count.', default: 8 },
        share: { type: ['number', 'null'], description: 'A share.' },
        flag: { type: 'boolean', description: 'Whether.', default: false },
        choice: { type: ['string', 'null'], enum: ['a', 'b', null], description: 'One of them.' },
        documented: { type: 'string', enum: ['a', 'b'], description: 'Documented, and not filled in.', default: 'b' },
        words: {
          type: 'array',
          items: { type: 'string', maxLength: 5 },
          minItems: 1,
          maxItems: 3,
          description: 'Words.',
        },
        at: { type: 'string', format: 'date-time', description: 'A time.' },
        url: { type: 'string', format: 'uri', maxLength: 100, description: 'A place.' },
        free: { type: 'object', additionalProperties: true, description: 'Anything.' },
        part: { ...PART, type: ['object', 'null'], additionalProperties: false, description: 'A part.' },
        parts: {
          type: 'array',
          items: { ...OPEN_PART, additionalProperties: true },
          minItems: 1,
          maxItems: 2,
          description: 'Parts.',
        },
        numbers: {
          type: 'array',
          items: { type: 'integer', minimum: 0, maximum: 9 },
          maxItems: 4,
          description: 'Numbers.',
        },
        value: { anyOf: ANY_JSON, description: 'Any value.', default: null },
        either: {
          anyOf: [
            { ...PART, additionalProperties: false },
            { ...OPEN_PART, additionalProperties: true },
          ],
          description: 'One of two.',
        },
      },
      required: ['id', 'word', 'choice', 'words', 'at', 'url', 'free', 'part', 'parts', 'numbers', 'either'],
      additionalProperties: false,
    });
  });

  it('as an input has its members in snake_case at every depth, and otherwise as they are', () => {
    const member = (use: 'input' | 'output' | 'component') => jsonSchemaOf(Whole, use).properties.part;
    expect(member('input')).toMatchObject({ required: ['full_name'] });
    for (const use of ['output', 'component'] as const) expect(member(use)).toMatchObject({ required: ['fullName'] });
  });

  it('as an output is open for members to come, and has those with a default too', () => {
    const schema = jsonSchemaOf(Whole, 'output');
    expect(schema.required).toEqual([
      ...[
        'id',
        'word',
        'count',
        'flag',
        'choice',
        'words',
        'at',
        'url',
        'free',
        'part',
        'parts',
        'numbers',
        'value',
        'either',
      ],
    ]);
    expect(schema).not.toHaveProperty('additionalProperties');
    expect(schema.properties.parts).toEqual({
      type: 'array',
      items: OPEN_PART,
      minItems: 1,
      maxItems: 2,
      description: 'Parts.',
    });
    expect(schema.properties.count).toEqual({ type: 'integer', minimum: 1, maximum: 50, description: 'A count.' });
  });

  it('of a class that holds itself is refused instead of never ending', () => {
    expect(() => jsonSchemaOf(Circle, 'output')).toThrow('Circle holds itself');
  });
});
