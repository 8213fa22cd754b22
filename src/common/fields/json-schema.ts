import type { Type as Class } from '@nestjs/common';
import { allowsExtraMembers, fieldsOf, type FieldRecord, type JsonSchema } from './fields.js';
import { snakeCase } from './snake-case.js';

/** The schema of an object. */
export interface ObjectSchema extends JsonSchema {
  type: 'object';
  properties: Record<string, JsonSchema>;
  required?: string[];
}

/**
 * What the schema describes. An `input` is that of a tool: it takes the declared members alone, under their names in
 * snake_case, and those with a default may be left out. An `output` may grow by members, so it stays open, and has the
 * members with a default as well. A `component` of an OpenAPI document may be either: it is open, and those with a
 * default may be left out.
 */
export type SchemaUse = 'input' | 'output' | 'component';

/** The schema that stands for an object of a class where it is a member of another. */
type Reference = (type: Class) => JsonSchema;

/**
 * The JSON Schema of a DTO, from what its field decorators said. Nested classes stand where they are used instead of
 * under `$defs`: there are clients of language models that do not follow references.
 * @throws Error for a class that holds itself, which has no finite form of this kind
 */
export const jsonSchemaOf = (type: Class, use: SchemaUse): ObjectSchema => inlineSchema(type, use, []);

/** The same with its nested classes as `reference` has them. */
export function objectSchemaOf(type: Class, use: SchemaUse, reference: Reference): ObjectSchema {
  const fields = fieldsOf(type);
  const nameOf = ({ name }: FieldRecord): string => (use === 'input' ? snakeCase(name) : name);
  const required = fields.filter((field) => isRequired(field, use)).map(nameOf);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [nameOf(field), memberSchemaOf(field, use, reference)])),
    ...(required.length > 0 ? { required } : {}),
    ...(use === 'input' ? { additionalProperties: allowsExtraMembers(type) } : {}),
  };
}

/** Whether the member must be there. */
export const isRequired = ({ options }: FieldRecord, use: SchemaUse): boolean =>
  !options.optional && (use === 'output' || options.default === undefined);

/** The schema of one member. */
export function memberSchemaOf(field: FieldRecord, use: SchemaUse, reference = inlineWithin(use, [])): JsonSchema {
  const { about, nullable, example } = field.options;
  const { default: documented, ...value } = valueSchema(field, reference);
  const preset = documented ?? field.options.default;
  return {
    ...(nullable ? orNull(value) : value),
    description: about,
    ...(use !== 'output' && preset !== undefined ? { default: preset } : {}),
    ...(use !== 'output' && example !== undefined ? { examples: [example] } : {}),
  };
}

function inlineSchema(type: Class, use: SchemaUse, within: readonly Class[]): ObjectSchema {
  if (within.includes(type)) throw new Error(`${type.name} holds itself; its JSON Schema would have no end`);
  return objectSchemaOf(type, use, inlineWithin(use, [...within, type]));
}

const inlineWithin =
  (use: SchemaUse, within: readonly Class[]): Reference =>
  (type) =>
    inlineSchema(type, use, within);

/** The schema without its description and null. */
function valueSchema({ options: { type, types }, schema }: FieldRecord, reference: Reference): JsonSchema {
  if (types) return { anyOf: types.map(reference) };
  if (type && schema.type !== 'array') return reference(type());
  const { type: kind, minItems, maxItems, ...rest } = schema;
  return withoutGaps({ type: kind, ...(type ? { items: reference(type()) } : {}), minItems, maxItems, ...rest });
}

/** Without the keywords that are not given, in the items of a list as well. */
function withoutGaps(schema: JsonSchema): JsonSchema {
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
