import 'reflect-metadata';
import type { Type as Class } from '@nestjs/common';
import {
  atLeast,
  atMost,
  bounded,
  each,
  IS_EMAIL,
  IS_EXACT,
  IS_FLAG,
  IS_INTEGER,
  IS_LIST,
  IS_NUMBER,
  IS_OBJECT,
  IS_TEXT,
  IS_UUID,
  isOneOf,
  matches,
  maxItems,
  maxLength,
  minItems,
  minLength,
  rule,
  type ValueRule,
} from './value.rules.js';

/** JSON Schema 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What every field says of itself. */
export interface FieldOptions {
  about: string;
  optional?: boolean;
  nullable?: boolean;
  example?: unknown;
  /** An id that another answer gives under this name: the page at /docs takes it from there. */
  isOfAnswer?: true;
}

/** How text from a query or path becomes a value: only there is text read as a number, a flag or a list. */
export type TextKind = 'integer' | 'decimal' | 'flag' | 'list';

/** What a decorator said of a member: class-reader.ts reads it by this, json-schema.ts makes JSON Schema of it. */
export interface FieldRecord {
  name: string;
  options: FieldOptions & {
    default?: unknown;
    /** The class of the object that the value is, or of those that it is a list of. */
    type?: () => Class<object>;
    /** Those objects are read by the service, and not with the object that holds them. */
    isReadLater?: true;
    /** The classes of which the value is one. */
    types?: readonly Class[];
  };
  /** What the value is, without description, null and default. */
  schema: JsonSchema;
  /** What a value must be that is given, in the order in which what is wrong with it is said. */
  rules: readonly ValueRule[];
  textKind?: TextKind;
}
const FIELDS = Symbol('fields');

const recordsOf = (prototype: object): readonly FieldRecord[] =>
  (Reflect.getMetadata(FIELDS, prototype) as FieldRecord[] | undefined) ?? [];

/** The members of a DTO in the order in which they are declared, those of the class it extends first. */
export const fieldsOf = (type: Class): readonly FieldRecord[] => recordsOf(type.prototype as object);

/** The members of the class that it extends. */
export const inheritedFieldsOf = (type: Class): readonly FieldRecord[] =>
  recordsOf(Object.getPrototypeOf(type.prototype) as object);

/** A member with its schema and its rules; what every decorator of a field is made of. */
export const field =
  (
    options: FieldRecord['options'],
    schema: JsonSchema,
    rules: readonly ValueRule[],
    textKind?: TextKind,
  ): PropertyDecorator =>
  (target, property) => {
    const others = recordsOf(target).filter(({ name }) => name !== property);
    const record: FieldRecord = { name: property as string, options, schema, rules, textKind };
    Reflect.defineMetadata(FIELDS, [...others, record], target);
  };

export const Text = (options: FieldOptions & { min?: number; max?: number; pattern?: RegExp; default?: string }) =>
  field(options, { type: 'string', minLength: options.min, maxLength: options.max, pattern: options.pattern?.source }, [
    IS_TEXT,
    ...bounded([minLength, options.min], [maxLength, options.max]),
    ...(options.pattern ? [matches(options.pattern)] : []),
  ]);

export const Uuid = (options: FieldOptions) => field(options, { type: 'string', format: 'uuid' }, [IS_UUID]);

/** A mailbox address with a domain, at most 254 characters (RFC 5321). */
export const Email = (options: FieldOptions) =>
  field(options, { type: 'string', format: 'email', maxLength: 254 }, [IS_EMAIL, maxLength(254)]);

/** An absolute URI (RFC 3986) with a scheme, as the WHATWG parser reads it. */
export const Url = (options: FieldOptions & { max?: number }) =>
  field(options, { type: 'string', format: 'uri', maxLength: options.max ?? 2000 }, [
    IS_URI,
    maxLength(options.max ?? 2000),
  ]);

const IS_URI = rule((value) => typeof value === 'string' && URL.canParse(value), 'must be an absolute URI');

/** One of these media types, in any case, with or without parameters. */
export const MediaType = (options: FieldOptions & { values: readonly string[]; max: number }) => {
  const essence = ([letter]: string | [string]) => `[${letter!.toLowerCase()}${letter!.toUpperCase()}]`;
  const types = options.values.map((value) => value.replace(/[a-z]/g, essence).replace('/', '\\/'));
  const pattern = `^(?:${types.join('|')})[ \\t]*(?:;.*)?$`;
  return field(options, { type: 'string', pattern, maxLength: options.max }, [
    maxLength(options.max),
    matches(new RegExp(pattern), `must be one of ${options.values.join(', ')}; parameters such as charset may follow`),
  ]);
};

/** A point in time (RFC 3339 with offset). */
export const DateTime = (options: FieldOptions) =>
  field(options, { type: 'string', format: 'date-time' }, [IS_DATE_TIME]);
const IS_DATE_TIME = rule(
  (value) => typeof value === 'string' && isDateTime(value),
  'must be an RFC 3339 time such as 2026-01-31T12:00:00Z, in the years 1 to 9999 of UTC',
);
const RFC3339 = /^(?!0000)(\d{4}-\d{2}-\d{2})T(?!24)\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** The time in UTC has a year of four digits too, which an offset can lead out of. */
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Date.parse makes 2 March of 30 February, and takes the year 0 and the hour 24, which PostgreSQL or RFC 3339 do not
 * know.
 */
function isDateTime(text: string): boolean {
  const [, day] = RFC3339.exec(text) ?? [];
  const time = Date.parse(text);
  if (day === undefined || !(time >= FIRST_TIME && time <= LAST_TIME)) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/**
 * With `documentedDefault` instead of `default` the schema names the default, and the handler still sees that the
 * member was left out.
 */
export const Choice = <T extends string>(
  options: FieldOptions & { values: readonly T[]; default?: T; documentedDefault?: T },
) =>
  field(options, { type: 'string', enum: [...options.values], default: options.default ?? options.documentedDefault }, [
    isOneOf(options.values),
  ]);

export const Integer = (options: FieldOptions & { min?: number; max?: number; default?: number }) =>
  field(
    options,
    { type: 'integer', minimum: options.min, maximum: options.max },
    [IS_INTEGER, ...bounded([atLeast, options.min], [atMost, options.max])],
    'integer',
  );

export const Decimal = (options: FieldOptions & { min?: number; max?: number; default?: number }) =>
  field(
    options,
    { type: 'number', minimum: options.min, maximum: options.max },
    [IS_NUMBER, ...bounded([atLeast, options.min], [atMost, options.max])],
    'decimal',
  );

export const Flag = (options: FieldOptions & { default?: boolean }) =>
  field(options, { type: 'boolean' }, [IS_FLAG], 'flag');

/**
 * An object whose members are the caller's own. A whole number past 2^53 - 1 in it would be kept with other digits than
 * were sent, so it is refused by its path; where `isReadLater`, by the service.
 */
export const FreeObject = (options: FieldOptions & { isReadLater?: true }) =>
  field(options, { type: 'object', additionalProperties: true }, [
    IS_OBJECT,
    ...(options.isReadLater ? [] : [IS_EXACT]),
  ]);

export const TextList = (
  options: FieldOptions & { max?: number; maxItems?: number; minItems?: number; default?: string[] },
) =>
  field(
    options,
    {
      type: 'array',
      items: { type: 'string', maxLength: options.max },
      minItems: options.minItems,
      maxItems: options.maxItems,
    },
    [
      IS_LIST,
      each(IS_TEXT),
      ...bounded([maxLength, options.max]).map(each),
      ...bounded([minItems, options.minItems], [maxItems, options.maxItems]),
    ],
    'list',
  );

/** One text, or a list of several; none is empty. */
export const TextOrTexts = (options: FieldOptions & { maxItems: number }) =>
  field(
    options,
    {
      oneOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: options.maxItems },
      ],
    },
    [
      rule(
        (value) =>
          isSomeText(value) ||
          (Array.isArray(value) && value.length > 0 && value.length <= options.maxItems && value.every(isSomeText)),
        `must be a text or a list of 1 to ${options.maxItems} texts, none of them empty`,
      ),
    ],
  );
const isSomeText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Whole numbers in a list, each within the bounds. */
export const IntegerList = (
  options: FieldOptions & { min: number; max: number; minItems?: number; maxItems: number },
) =>
  field(
    options,
    {
      type: 'array',
      items: { type: 'integer', minimum: options.min, maximum: options.max },
      minItems: options.minItems,
      maxItems: options.maxItems,
    },
    [
      IS_LIST,
      ...[IS_INTEGER, atLeast(options.min), atMost(options.max)].map(each),
      ...bounded([minItems, options.minItems], [maxItems, options.maxItems]),
    ],
  );

/** Any JSON value, null as well; in a request of at most `maxBytes` bytes, written as JSON in UTF-8. */
export const AnyJson = (options: FieldOptions & { maxBytes?: number; default?: null }) =>
  field(options, { anyOf: JSON_TYPES.map((type) => (type === 'array' ? { type, items: {} } : { type })) }, [
    rule(
      (value) => value !== undefined && (options.maxBytes === undefined || jsonBytes(value) <= options.maxBytes),
      `must be at most ${options.maxBytes} bytes as JSON; store the rest elsewhere and name it here`,
    ),
  ]);
const JSON_TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'];
const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

export const ListOf = (options: FieldOptions & { type: () => Class; min?: number; max?: number }) =>
  field(options, { type: 'array', minItems: options.min, maxItems: options.max }, [
    IS_LIST,
    ...bounded([minItems, options.min], [maxItems, options.max]),
    each(IS_OBJECT),
  ]);

/**
 * A list so long that reading it in one go would hold up every other request: the service reads the objects bit by bit,
 * with readAs. Until then they are what came in.
 */
export const ListReadLater = (options: FieldOptions & { type: () => Class; min: number; max?: number }) =>
  field({ ...options, isReadLater: true }, { type: 'array', minItems: options.min, maxItems: options.max }, [
    IS_LIST,
    ...bounded([minItems, options.min], [maxItems, options.max]),
  ]);

/** The largest is not 2^64 - 1, which a double does not hold and would write as one more. */
const UINT64: JsonSchema = {
  oneOf: [
    { type: 'integer', format: 'uint64', minimum: 0, exclusiveMaximum: 2 ** 64 },
    { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$' },
  ],
};

/**
 * A whole number of 64 bits without sign, as a JSON number or as decimal text. In the body itself a number past 2^53
 * comes to the DTO as its decimal text ({@link uint64sOf}), and answers repeat it so; elsewhere it has lost digits and
 * is refused. The service reads it with BigInt.
 */
export const Uint64 = (options: FieldOptions) => field(options, UINT64, [IS_UINT64]);
const isUint64 = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isSafeInteger(value) && value >= 0
    : typeof value === 'string' && /^(0|[1-9]\d{0,19})$/.test(value) && BigInt(value) < 2n ** 64n;
const IS_UINT64 = rule(
  isUint64,
  'must be a whole number from 0 to 2^64 - 1, as a JSON number of digits alone or as decimal text',
);

/** The members of a class that are such numbers. */
export const uint64sOf = (type: Class): string[] =>
  fieldsOf(type)
    .filter(({ schema }) => schema === UINT64)
    .map(({ name }) => name);

export const Nested = (options: FieldOptions & { type: () => Class }) => field(options, {}, [IS_OBJECT]);

/**
 * An object of one of several classes, which another member of its holder distinguishes; the service reads it with
 * readAs.
 */
export const OneOf = (options: FieldOptions & { types: readonly Class[] }) => field(options, {}, [IS_OBJECT]);

/** A member of something that is not read as a DTO: its schema is documented, and nothing checks it. */
export const Documented = (options: FieldOptions & { schema: JsonSchema }) => field(options, options.schema, []);

const EXTRA = Symbol('extra members allowed');

/** The class takes members in addition to the declared ones (tenant-api.md: "extra members allowed"). */
export const ExtraMembersAllowed = (): ClassDecorator => (target) => {
  Reflect.defineMetadata(EXTRA, true, target);
};
export const allowsExtraMembers = (type: object): boolean => Reflect.getMetadata(EXTRA, type) === true;
