import type { Type as Class } from '@nestjs/common';
import { BY_NAME, OF_FORMATS, OF_PATTERNS } from './example-values.js';
import { fieldsOf, type FieldRecord, type JsonSchema } from './fields.js';
import { isRequired } from './json-schema.js';
import { snakeCase } from './snake-case.js';

/** What an example is of: a request has what it needs and what its fields show, a reply every member. */
export type ExampleUse = 'request' | 'reply';

/** An object of a class as an example shows it, made of what its field decorators say. */
export const exampleOf = (type: Class, use: ExampleUse): Record<string, unknown> => objectOf(type, use, []);

function objectOf(type: Class, use: ExampleUse, within: readonly Class[]): Record<string, unknown> {
  const around = [...within, type];
  const fields = fieldsOf(type).filter((field) => isShown(field, use, around));
  return Object.fromEntries(fields.map((field) => [field.name, exampleOfField(field, use, around)]));
}

/** A class that holds itself is shown once: its member is left out, null or empty. */
function isShown(field: FieldRecord, use: ExampleUse, within: readonly Class[]): boolean {
  const { options } = field;
  const isNeeded = isRequired(field, use === 'request' ? 'component' : 'output');
  if (options.optional && options.type && within.includes(options.type())) return false;
  return isNeeded || options.example !== undefined || use === 'reply';
}

/** One member: the example of its field, else what its schema and its name lead to. */
export function exampleOfField(field: FieldRecord, use: ExampleUse, within: readonly Class[] = []): unknown {
  const { example, type: of, types, nullable, default: preset } = field.options;
  if (example !== undefined) return example;
  if (types) return objectOf(types[0]!, use, within);
  if (!of) return preset ?? valueOf(field.schema, field.name, nullable);
  const type = of();
  const isEndless = within.includes(type);
  if (field.schema.type === 'array') return isEndless ? [] : [objectOf(type, use, within)];
  return isEndless && nullable ? null : objectOf(type, use, within);
}

/** A value that a schema takes. @param name of the member, in whatever case */
export function valueOf(schema: JsonSchema, name: string, nullable = false): unknown {
  const { examples, default: preset, enum: values, const: only, oneOf, anyOf, type } = schema;
  const given = [examples, values].find(Array.isArray) as unknown[] | undefined;
  if (given) return given[0];
  if (only !== undefined || preset !== undefined) return only ?? preset;
  const choices = (oneOf ?? anyOf) as JsonSchema[] | undefined;
  if (choices) return valueOf(choices[0]!, name);
  const kind = Array.isArray(type) ? (type as string[])[0] : type;
  if (nullable && /cursor$/i.test(name)) return null;
  return KINDS[String(kind)]?.(schema, snakeCase(name)) ?? {};
}

const KINDS: Readonly<Record<string, (schema: JsonSchema, name: string) => unknown>> = {
  string: textOf,
  integer: numberOf,
  number: numberOf,
  boolean: () => true,
  array: (schema, name) => (schema.maxItems === 0 ? [] : [valueOf((schema.items ?? {}) as JsonSchema, singular(name))]),
  object: objectOfSchema,
};

function objectOfSchema({ properties, required = [] }: JsonSchema): object {
  const members = Object.entries((properties ?? {}) as Record<string, JsonSchema>);
  const needed = members.filter(([name]) => (required as string[]).includes(name));
  return Object.fromEntries(needed.map(([name, schema]) => [name, valueOf(schema, name)]));
}

function numberOf({ minimum, exclusiveMinimum, maximum }: JsonSchema): number {
  const least = (minimum ?? exclusiveMinimum ?? 0) as number;
  return Math.min(Math.max(1, least), (maximum as number | undefined) ?? Infinity);
}

function textOf({ format, pattern, minLength = 0, maxLength = Infinity }: JsonSchema, name: string): string {
  const known = OF_FORMATS[String(format)];
  if (known !== undefined) return known;
  const spoken = name.replaceAll('_', ' ').trim();
  const rule = typeof pattern === 'string' ? new RegExp(pattern) : undefined;
  const fits = (text: string) =>
    text.length >= Number(minLength) && text.length <= Number(maxLength) && (rule?.test(text) ?? true);
  const tried = [BY_NAME[name], BY_NAME[name.slice(name.lastIndexOf('_') + 1)], ...(rule ? OF_PATTERNS : [])];
  return [...tried, spoken].find((text) => text !== undefined && fits(text)) ?? fill(spoken, minLength, maxLength);
}

const fill = (text: string, least: unknown, most: unknown): string => {
  const longest = Math.min(Number(most), Math.max(Number(least), text.length));
  return text.padEnd(Number(least), '.').slice(0, longest);
};

/** Of a list the name of one. */
const singular = (name: string): string => name.replace(/ies$/, 'y').replace(/s$/, '');
