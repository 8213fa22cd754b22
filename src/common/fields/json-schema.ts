import type { Type as Class } from '@nestjs/common';
import { allowsExtraMembers, fieldsOf, type FieldRecord } from './fields.js';

/** JSON Schema 2020-12. */
export type JsonSchema = { [keyword: string]: unknown };

/** The schema of an object. */
export interface ObjectSchema extends JsonSchema {
  type: 'object';
  properties: Record<string, JsonSchema>;
  required?: string[];
}

/**
 * What the schema describes. An input takes the declared members alone, and those with a default may be left out. An output may grow by
 * members, so it stays open, and has the members with a default as well.
 */
export type SchemaUse = 'input' | 'output';

/**
 * The JSON Schema of a DTO, from what its field decorators said. Nested classes stand where they are used instead of under `$defs`: there are
 * clients of language models that do not follow references.
 * @throws Error for a class that holds itself, which has no finite form of this kind
 */
export const jsonSchemaOf = (type: Class, use: SchemaUse): ObjectSchema => objectSchema(type, use, []);

/** The schema of one member. */
export const memberSchemaOf = (field: FieldRecord, use: SchemaUse): JsonSchema => memberSchema(field, use, []);

/** Whether the member must be there. */
export const isRequired = ({ options }: FieldRecord, use: SchemaUse): boolean =>
  !options.optional && (use === 'output' || options.default === undefined);

function objectSchema(type: Class, use: SchemaUse, within: readonly Class[]): ObjectSchema {
  if (within.includes(type)) throw new Error(`${type.name} holds itself; its JSON Schema would have no end`);
  const fields = fieldsOf(type);
  const required = fields.filter((field) => isRequired(field, use)).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, memberSchema(field, use, [...within, type])])),
    ...(required.length > 0 ? { required } : {}),
    ...(use === 'input' ? { additionalProperties: allowsExtraMembers(type) } : {}),
  };
}

function memberSchema(field: FieldRecord, use: SchemaUse, within: readonly Class[]): JsonSchema {
  const { about, nullable, example } = field.options;
  const value = valueSchema(field, use, within);
  const preset = (field.schema as { default?: unknown }).default ?? field.options.default;
  return {
    ...(nullable ? orNull(value) : value),
    description: about,
    ...(use === 'input' && preset !== undefined ? { default: preset } : {}),
    ...(use === 'input' && example !== undefined ? { examples: [example] } : {}),
  };
}

/** The schema without what stands beside it: description, null, default. */
function valueSchema({ options, schema }: FieldRecord, use: SchemaUse, within: readonly Class[]): JsonSchema {
  if (options.types) return { anyOf: options.types.map((type) => objectSchema(type, use, within)) };
  const { type, isArray, minItems, maxItems, ...rest } = schema as Described;
  const bounds = { minItems, maxItems };
  if (typeof type !== 'function') return withoutGaps({ type, ...bounds, ...rest });
  const plain = PLAIN.get(type);
  if (plain) return withoutGaps({ type: plain, ...rest });
  const object = objectSchema((type as () => Class)(), use, within);
  return isArray ? withoutGaps({ type: 'array', items: object, ...bounds }) : object;
}

const PLAIN = new Map<unknown, string>([
  [String, 'string'],
  [Boolean, 'boolean'],
]);

/** The words for @nestjs/swagger that differ from those of JSON Schema. */
interface Described extends JsonSchema {
  type: unknown;
  isArray?: boolean;
  minItems?: number;
  maxItems?: number;
}

function withoutGaps({ default: _, ...schema }: JsonSchema): JsonSchema {
  const given = Object.entries(schema).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([keyword, value]) => [keyword, keyword === 'items' ? withoutGaps(value as JsonSchema) : value]),
  );
}

function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(schema.enum) ? { enum: [...(schema.enum as unknown[]), null] } : {}),
  };
}
