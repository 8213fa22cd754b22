import { applyDecorators, type Type as Class } from '@nestjs/common';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

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

type Kind = 'integer' | 'decimal' | 'flag' | 'list';
const KINDS = Symbol('field kinds');

/** How text from a query or path becomes this class's members: only there is text read as a number or a flag. */
export const textKinds = (type: Class): Record<string, Kind> =>
  (Reflect.getMetadata(KINDS, type.prototype as object) as Record<string, Kind> | undefined) ?? {};

const readFromText =
  (kind: Kind): PropertyDecorator =>
  (target, property) => {
    const kinds = (Reflect.getMetadata(KINDS, target) as Record<string, Kind> | undefined) ?? {};
    Reflect.defineMetadata(KINDS, { ...kinds, [property as string]: kind }, target);
  };

/** What a decorator said of a member: contract.pipe.ts reads it by this, json-schema.ts makes JSON Schema of it. */
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
}
const FIELDS = Symbol('fields');

/** The members of a DTO in the order in which they are declared, those of the class it extends first. */
export const fieldsOf = (type: Class): readonly FieldRecord[] =>
  (Reflect.getMetadata(FIELDS, type.prototype as object) as FieldRecord[] | undefined) ?? [];

const recordField =
  (record: Omit<FieldRecord, 'name'>): PropertyDecorator =>
  (target, property) => {
    const known = (Reflect.getMetadata(FIELDS, target) as FieldRecord[] | undefined) ?? [];
    const others = known.filter(({ name }) => name !== property);
    Reflect.defineMetadata(FIELDS, [...others, { ...record, name: property as string }], target);
  };

/** A member with its schema and its rules; what every decorator of a field is made of. */
export function field(
  options: FieldRecord['options'],
  schema: JsonSchema,
  ...rules: PropertyDecorator[]
): PropertyDecorator {
  const { optional, nullable } = options;
  return applyDecorators(
    recordField({ options, schema }),
    ...(optional || nullable
      ? [ValidateIf((_, value) => !((optional && value === undefined) || (nullable && value === null)))]
      : []),
    ...rules,
  );
}

export const Text = (options: FieldOptions & { min?: number; max?: number; pattern?: RegExp; default?: string }) =>
  field(
    options,
    { type: 'string', minLength: options.min, maxLength: options.max, pattern: options.pattern?.source },
    IsString(),
    ...(options.min === undefined ? [] : [MinLength(options.min)]),
    ...(options.max === undefined ? [] : [MaxLength(options.max)]),
    ...(options.pattern === undefined ? [] : [Matches(options.pattern)]),
  );

export const Uuid = (options: FieldOptions) => field(options, { type: 'string', format: 'uuid' }, IsUUID('all'));

/** A mailbox address with a domain, at most 254 characters (RFC 5321). */
export const Email = (options: FieldOptions) =>
  field(options, { type: 'string', format: 'email', maxLength: 254 }, IsEmail(), MaxLength(254));

/** An absolute URI (RFC 3986) with a scheme, as the WHATWG parser reads it. */
export const Url = (options: FieldOptions & { max?: number }) =>
  field(
    options,
    { type: 'string', format: 'uri', maxLength: options.max ?? 2000 },
    ValidateBy({
      name: 'isUri',
      validator: {
        validate: (value) => typeof value === 'string' && URL.canParse(value),
        defaultMessage: (a) => `${a?.property} must be an absolute URI`,
      },
    }),
    MaxLength(options.max ?? 2000),
  );

/** One of these media types, in any case, with or without parameters. */
export const MediaType = (options: FieldOptions & { values: readonly string[]; max: number }) => {
  const essence = ([letter]: string | [string]) => `[${letter!.toLowerCase()}${letter!.toUpperCase()}]`;
  const types = options.values.map((value) => value.replace(/[a-z]/g, essence).replace('/', '\\/'));
  const pattern = `^(?:${types.join('|')})[ \\t]*(?:;.*)?$`;
  return field(
    options,
    { type: 'string', pattern, maxLength: options.max },
    MaxLength(options.max),
    Matches(new RegExp(pattern), {
      message: `$property must be one of ${options.values.join(', ')}; parameters such as charset may follow`,
    }),
  );
};

/** A point in time (RFC 3339 with offset). */
export const DateTime = (options: FieldOptions) =>
  field(
    options,
    { type: 'string', format: 'date-time' },
    ValidateBy({
      name: 'isDateTime',
      validator: {
        validate: (value) => typeof value === 'string' && isDateTime(value),
        defaultMessage: (a) =>
          `${a?.property} must be an RFC 3339 time such as 2026-01-31T12:00:00Z, in the years 1 to 9999 of UTC`,
      },
    }),
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
  field(
    options,
    { type: 'string', enum: [...options.values], default: options.default ?? options.documentedDefault },
    IsIn([...options.values]),
  );

export const Integer = (options: FieldOptions & { min?: number; max?: number; default?: number }) =>
  applyDecorators(
    readFromText('integer'),
    field(
      options,
      { type: 'integer', minimum: options.min, maximum: options.max },
      IsInt(),
      ...(options.min === undefined ? [] : [Min(options.min)]),
      ...(options.max === undefined ? [] : [Max(options.max)]),
    ),
  );

export const Decimal = (options: FieldOptions & { min?: number; max?: number; default?: number }) =>
  applyDecorators(
    readFromText('decimal'),
    field(
      options,
      { type: 'number', minimum: options.min, maximum: options.max },
      IsNumber({ allowNaN: false, allowInfinity: false }),
      ...(options.min === undefined ? [] : [Min(options.min)]),
      ...(options.max === undefined ? [] : [Max(options.max)]),
    ),
  );

export const Flag = (options: FieldOptions & { default?: boolean }) =>
  applyDecorators(readFromText('flag'), field(options, { type: 'boolean' }, IsBoolean()));

/** An object whose members are the caller's own. */
export const FreeObject = (options: FieldOptions) =>
  field(options, { type: 'object', additionalProperties: true }, IsObject());

export const TextList = (
  options: FieldOptions & { max?: number; maxItems?: number; minItems?: number; default?: string[] },
) =>
  applyDecorators(
    readFromText('list'),
    field(
      options,
      {
        type: 'array',
        items: { type: 'string', maxLength: options.max },
        minItems: options.minItems,
        maxItems: options.maxItems,
      },
      IsArray(),
      IsString({ each: true }),
      ...(options.max === undefined ? [] : [MaxLength(options.max, { each: true })]),
      ...(options.minItems === undefined ? [] : [ArrayMinSize(options.minItems)]),
      ...(options.maxItems === undefined ? [] : [ArrayMaxSize(options.maxItems)]),
    ),
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
    ValidateBy({
      name: 'isTextOrTexts',
      validator: {
        validate: (value) =>
          isSomeText(value) ||
          (Array.isArray(value) && value.length > 0 && value.length <= options.maxItems && value.every(isSomeText)),
        defaultMessage: (a) =>
          `${a?.property} must be a text or a list of 1 to ${options.maxItems} texts, none of them empty`,
      },
    }),
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
    IsArray(),
    IsInt({ each: true }),
    Min(options.min, { each: true }),
    Max(options.max, { each: true }),
    ...(options.minItems === undefined ? [] : [ArrayMinSize(options.minItems)]),
    ArrayMaxSize(options.maxItems),
  );

/** Any JSON value, null as well; in a request of at most `maxBytes` bytes, written as JSON in UTF-8. */
export const AnyJson = (options: FieldOptions & { maxBytes?: number; default?: null }) =>
  field(
    options,
    { anyOf: JSON_TYPES.map((type) => (type === 'array' ? { type, items: {} } : { type })) },
    ValidateBy({
      name: 'isJson',
      validator: {
        validate: (value) => value !== undefined && jsonBytes(value) <= (options.maxBytes ?? Infinity),
        defaultMessage: (a) =>
          a?.value === undefined
            ? `${a?.property} is needed; any JSON value will do, null as well`
            : `${a?.property} must be at most ${options.maxBytes} bytes as JSON; store the rest elsewhere and name it here`,
      },
    }),
  );
const JSON_TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'];
const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

export const ListOf = (options: FieldOptions & { type: () => Class; min?: number; max?: number }) =>
  field(
    options,
    { type: 'array', minItems: options.min, maxItems: options.max },
    IsArray(),
    ...(options.min === undefined ? [] : [ArrayMinSize(options.min)]),
    ...(options.max === undefined ? [] : [ArrayMaxSize(options.max)]),
    IsObject({ each: true }),
    ValidateNested({ each: true }),
  );

/**
 * A list so long that reading it in one go would hold up every other request: the service reads the objects bit by bit,
 * with readAs. Until then they are what came in.
 */
export const ListReadLater = (options: FieldOptions & { type: () => Class; min: number; max?: number }) =>
  field(
    { ...options, isReadLater: true },
    { type: 'array', minItems: options.min, maxItems: options.max },
    IsArray(),
    ArrayMinSize(options.min),
    ...(options.max === undefined ? [] : [ArrayMaxSize(options.max)]),
  );

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
export const Uint64 = (options: FieldOptions) =>
  field(
    options,
    UINT64,
    ValidateBy({
      name: 'isUint64',
      validator: {
        validate: isUint64,
        defaultMessage: (a) =>
          `${a?.property} must be a whole number from 0 to 2^64 - 1, as a JSON number of digits alone or as decimal text`,
      },
    }),
  );
const isUint64 = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isSafeInteger(value) && value >= 0
    : typeof value === 'string' && /^(0|[1-9]\d{0,19})$/.test(value) && BigInt(value) < 2n ** 64n;

/** The members of a class that are such numbers. */
export const uint64sOf = (type: Class): string[] =>
  fieldsOf(type)
    .filter(({ schema }) => schema === UINT64)
    .map(({ name }) => name);

export const Nested = (options: FieldOptions & { type: () => Class }) =>
  field(options, {}, IsObject(), ValidateNested());

/**
 * An object of one of several classes, which another member of its holder distinguishes; the service reads it with
 * readAs.
 */
export const OneOf = (options: FieldOptions & { types: readonly Class[] }) => field(options, {}, IsObject());

/** A member of something that is not read as a DTO: its schema is documented, and nothing checks it. */
export const Documented = (options: FieldOptions & { schema: JsonSchema }) => field(options, options.schema);

const EXTRA = Symbol('extra members allowed');

/** The class takes members in addition to the declared ones (tenant-api.md: "extra members allowed"). */
export const ExtraMembersAllowed = (): ClassDecorator => (target) => {
  Reflect.defineMetadata(EXTRA, true, target);
};
export const allowsExtraMembers = (type: object): boolean => Reflect.getMetadata(EXTRA, type) === true;
