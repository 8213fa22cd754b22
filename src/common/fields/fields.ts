import { applyDecorators, type Type as Class } from '@nestjs/common';
import { ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import { Expose, Transform, Type } from 'class-transformer';
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

/** What every field says of itself. */
export interface FieldOptions {
  about: string;
  optional?: boolean;
  nullable?: boolean;
  example?: unknown;
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

/** What a decorator said of a member: json-schema.ts makes JSON Schema of it, beside what the OpenAPI document gets. */
export interface FieldRecord {
  name: string;
  options: FieldOptions & { default?: unknown; types?: Class[] };
  schema: ApiPropertyOptions;
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

function field(
  options: FieldRecord['options'],
  schema: ApiPropertyOptions,
  ...rules: PropertyDecorator[]
): PropertyDecorator {
  const { about, optional, nullable, example } = options;
  const hasDefault = options.default !== undefined;
  return applyDecorators(
    recordField({ options, schema }),
    ApiProperty({
      description: about,
      required: !optional && !hasDefault,
      nullable,
      example,
      default: options.default,
      ...schema,
    } as ApiPropertyOptions),
    ...(optional || nullable
      ? [ValidateIf((_, value) => !((optional && value === undefined) || (nullable && value === null)))]
      : []),
    ...(hasDefault
      ? [Expose(), Transform(({ value }): unknown => (value === undefined ? copyOf(options.default) : value))]
      : []),
    ...rules,
  );
}

/** A default that is an object is each request's own. */
const copyOf = (value: unknown): unknown => (typeof value === 'object' ? structuredClone(value) : value);

export const Text = (options: FieldOptions & { min?: number; max?: number; pattern?: RegExp; default?: string }) =>
  field(
    options,
    { type: String, minLength: options.min, maxLength: options.max, pattern: options.pattern?.source },
    IsString(),
    ...(options.min === undefined ? [] : [MinLength(options.min)]),
    ...(options.max === undefined ? [] : [MaxLength(options.max)]),
    ...(options.pattern === undefined ? [] : [Matches(options.pattern)]),
  );

export const Uuid = (options: FieldOptions) => field(options, { type: String, format: 'uuid' }, IsUUID('all'));

/** A mailbox address with a domain, at most 254 characters (RFC 5321). */
export const Email = (options: FieldOptions) =>
  field(options, { type: String, format: 'email', maxLength: 254 }, IsEmail(), MaxLength(254));

/** An absolute URI (RFC 3986) with a scheme, as the WHATWG parser reads it. */
export const Url = (options: FieldOptions & { max?: number }) =>
  field(
    options,
    { type: String, format: 'uri', maxLength: options.max ?? 2000 },
    ValidateBy({
      name: 'isUri',
      validator: {
        validate: (value) => typeof value === 'string' && URL.canParse(value),
        defaultMessage: (a) => `${a?.property} must be an absolute URI`,
      },
    }),
    MaxLength(options.max ?? 2000),
  );

/** A point in time (RFC 3339 with offset). */
export const DateTime = (options: FieldOptions) =>
  field(
    options,
    { type: String, format: 'date-time' },
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

/** What is told in UTC has a year of four digits too, which an offset can lead out of. */
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Date.parse makes 2 March of 30 February, and takes the year 0 and the hour 24, which PostgreSQL or RFC 3339 do not know. */
function isDateTime(text: string): boolean {
  const [, day] = RFC3339.exec(text) ?? [];
  const time = Date.parse(text);
  if (day === undefined || !(time >= FIRST_TIME && time <= LAST_TIME)) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** With `toldDefault` instead of `default` the schema names the default, and the handler still sees that the member was left out. */
export const Choice = <T extends string>(
  options: FieldOptions & { values: readonly T[]; default?: T; toldDefault?: T },
) =>
  field(
    options,
    { type: String, enum: [...options.values], default: options.default ?? options.toldDefault },
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
  applyDecorators(readFromText('flag'), field(options, { type: Boolean }, IsBoolean()));

/** An object whose members are the caller's own. */
export const FreeObject = (options: FieldOptions) =>
  applyDecorators(keptAsSent, field(options, { type: 'object', additionalProperties: true }, IsObject()));

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
    { type: options.type, isArray: true, minItems: options.min, maxItems: options.max },
    IsArray(),
    ...(options.min === undefined ? [] : [ArrayMinSize(options.min)]),
    ...(options.max === undefined ? [] : [ArrayMaxSize(options.max)]),
    IsObject({ each: true }),
    ValidateNested({ each: true }),
    Type(options.type),
  );

/**
 * A list so long that reading it in one go would hold up every other request: the service reads the objects bit by bit, with readAs. Until then they are
 * what came in.
 */
export const ListReadLater = (options: FieldOptions & { type: () => Class; min: number; max?: number }) =>
  applyDecorators(
    keptAsSent,
    field(
      options,
      { type: options.type, isArray: true, minItems: options.min, maxItems: options.max },
      IsArray(),
      ArrayMinSize(options.min),
      ...(options.max === undefined ? [] : [ArrayMaxSize(options.max)]),
    ),
  );

/** A whole number of 64 bits without sign: JSON's own up to 2^53 - 1, decimal text beyond, where a JSON number would lose digits. The service reads it with BigInt. */
export const Uint64 = (options: FieldOptions) =>
  field(
    options,
    {
      oneOf: [
        { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$' },
      ],
    },
    ValidateBy({
      name: 'isUint64',
      validator: {
        validate: isUint64,
        defaultMessage: (a) =>
          `${a?.property} must be a whole number from 0 to 2^64 - 1; past 2^53 - 1 send it as decimal text, because a JSON number would lose digits`,
      },
    }),
  );
const isUint64 = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isSafeInteger(value) && value >= 0
    : typeof value === 'string' && /^(0|[1-9]\d{0,19})$/.test(value) && BigInt(value) < 2n ** 64n;

export const Nested = (options: FieldOptions & { type: () => Class }) =>
  field(options, { type: options.type }, IsObject(), ValidateNested(), Type(options.type));

/**
 * An object of one of several classes, which another member of its holder tells apart; the service reads it with readAs.
 * The controller names the classes in ApiExtraModels, so that the document describes them.
 */
export const OneOf = (options: FieldOptions & { types: Class[] }) =>
  field(
    options,
    { type: 'object', oneOf: options.types.map((type) => ({ $ref: getSchemaPath(type) })) } as ApiPropertyOptions,
    IsObject(),
  );

const KEPT = Symbol('members kept as sent');
const keptAsSent: PropertyDecorator = (target, property) => {
  Reflect.defineMetadata(KEPT, [...membersKeptOf(target.constructor), property as string], target);
};
/** The members that are handed over as they came in: reading a request copies all others, which large free JSON need not be. */
export const membersKeptOf = (type: object): readonly string[] =>
  (Reflect.getMetadata(KEPT, (type as Class).prototype as object) as string[] | undefined) ?? [];

const EXTRA = Symbol('extra members allowed');

/** The class takes members besides the declared ones (tenant-api.md: "extra members allowed"). */
export const ExtraMembersAllowed = (): ClassDecorator => (target) => {
  Reflect.defineMetadata(EXTRA, true, target);
};
export const allowsExtraMembers = (type: object): boolean => Reflect.getMetadata(EXTRA, type) === true;
