import type { Issue } from '../../common/problem/common-problems.js';
import { snakeCase } from '../../common/fields/snake-case.js';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Tool } from './tool.js';

type Bounds = Record<string, unknown>;

/** What is wrong with the arguments, in words that say what to do. */
export const issuesOf = (tool: Tool, errors: readonly ErrorObject[]): Issue[] =>
  errors.map((error) => ({ path: pathOf(error), message: messageOf(tool, error) }));

/** The place in the API's way of writing it: params.answers[0].question_id. */
function pathOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
  const steps = instancePath.split('/').slice(1).map(unescapePointer);
  const own = missingProperty ?? additionalProperty;
  return ['params', ...steps, ...(own === undefined ? [] : [own.slice(0, 100)])].reduce((path, step) =>
    /^\d+$/.test(step) ? `${path}[${step}]` : `${path}.${step}`,
  );
}

const unescapePointer = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

function messageOf(tool: Tool, { keyword, params, instancePath, message, data }: ErrorObject): string {
  const bounds = params as Bounds;
  if (keyword === 'additionalProperties') return unknownMember(tool, instancePath, String(bounds.additionalProperty));
  if (keyword === 'type') return `must be ${typeText(bounds.type)}, and is ${kindOf(data)}${remedyOf(data)}`;
  return MESSAGES[keyword]?.(bounds) ?? message ?? 'does not match its description';
}

const MESSAGES: Record<string, (bounds: Bounds) => string> = {
  required: () => 'is required',
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).map(String).join(', ')}`,
  minLength: ({ limit }) => `must have at least ${String(limit)} characters`,
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  minItems: ({ limit }) => `must have at least ${String(limit)} items`,
  maxItems: ({ limit }) => `must have at most ${String(limit)} items`,
  pattern: ({ pattern }) => `must match ${String(pattern)}`,
};

function unknownMember(tool: Tool, instancePath: string, name: string): string {
  if (instancePath !== '') return 'is not a member here; leave it out';
  const meant = snakeCase(name);
  if (meant !== name && Object.hasOwn(tool.definition.inputSchema.properties, meant)) return `is written ${meant} here`;
  return `is not a parameter of ${tool.definition.name}; leave it out`;
}

const ARTICLE: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** What types of JSON Schema are called. */
export const typeText = (type: unknown): string =>
  [type]
    .flat()
    .map((one) => ARTICLE[String(one)] ?? String(one))
    .join(' or ');

function kindOf(data: unknown): string {
  if (data === null) return 'null';
  return Array.isArray(data) ? 'a list' : (ARTICLE[typeof data] ?? typeof data);
}

const remedyOf = (data: unknown): string => (data === null ? '; leave it out where there is no value' : '');
