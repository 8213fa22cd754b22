import { describe, expect, it } from 'vitest';
import { AgentTools } from '../../src/rpc/agent/agent-tools.js';
import { makeDaemonTools } from '../../src/rpc/tools/daemon-tools.js';
import { makeServiceTools } from '../../src/rpc/tools/service-tools.js';

/** A rule of those who take tools: one schema that breaks it costs the user every tool, or the whole conversation. */
interface Rule {
  name: string;
  /** @returns what breaks it, by its place */
  broken(tool: Listed): string[];
}
interface Listed {
  name: string;
  description: string;
  inputSchema: Schema;
}
interface Schema {
  [keyword: string]: unknown;
  properties?: Record<string, Schema>;
}

/** Every schema within one, with its place; the root is ''. */
function schemasOf(schema: Schema, place = ''): [string, Schema][] {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema as Record<string, any>;
  const inner: [string, Schema][] = [
    ...Object.entries<Schema>(properties).map(([name, one]): [string, Schema] => [`${place}.${name}`, one]),
    ...(items ? [[`${place}[]`, items] as [string, Schema]] : []),
    ...(anyOf as Schema[]).map((one, at): [string, Schema] => [`${place}|${at}`, one]),
    ...(typeof additionalProperties === 'object' ? [[`${place}.*`, additionalProperties] as [string, Schema]] : []),
  ];
  return [[place, schema], ...inner.flatMap(([at, one]) => schemasOf(one, at))];
}
const where =
  (breaks: (schema: Schema, place: string) => boolean) =>
  ({ inputSchema }: Listed): string[] =>
    schemasOf(inputSchema).flatMap(([place, schema]) => (breaks(schema, place) ? [place || 'root'] : []));
const withKeyword = (...keywords: string[]) => where((schema) => keywords.some((keyword) => keyword in schema));

/** What no client takes; all tools follow these. */
const EVERYWHERE: Rule[] = [
  {
    // OpenAI and Anthropic function names; MCP 2025-11-25 (server/tools, "Tool Names") allows 128 and dots.
    name: 'a name has 1 to 64 letters, digits, _ and -',
    broken: ({ name }) => (/^[a-zA-Z0-9_-]{1,64}$/.test(name) ? [] : [name]),
  },
  {
    // Cursor leaves out tools whose server's name and own name have more than 60 characters together
    // (ComposioHQ/composio#2788); VS Code and Claude Code put a prefix of the server before (microsoft/vscode#243602).
    name: 'a name leaves 25 of 60 characters to that of the server',
    broken: ({ name }) => (name.length <= 35 ? [] : [name]),
  },
  {
    // VS Code: "function must have description".
    name: 'a tool is described',
    broken: ({ description }) => (description.trim() === '' ? ['description'] : []),
  },
  {
    // Anthropic: "input_schema does not support oneOf, allOf, or anyOf at the top level" (anthropics/claude-code#5973);
    // OpenAI, Structured Outputs, "Supported schemas": the root is an object and no anyOf.
    name: 'the root is an object, and no union',
    broken: where((schema, place) => place === '' && (schema['type'] !== 'object' || 'anyOf' in schema)),
  },
  {
    // OpenAI, Structured Outputs, "Supported schemas": not allOf, not, if, dependentRequired, dependentSchemas;
    // Gemini's Schema has neither oneOf nor const (taylorwilsdon/google_workspace_mcp#1099).
    name: 'no keyword that models do not take',
    broken: withKeyword(
      ...['oneOf', 'allOf', 'not', 'if', 'then', 'else', 'const', 'patternProperties', 'propertyNames'],
      ...['dependentRequired', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems', 'prefixItems'],
      ...['contains', 'minContains', 'maxContains', '$dynamicRef', '$anchor'],
    ),
  },
  {
    // Cursor and older clients show a model what stands there, and follow no reference.
    name: 'no references',
    broken: withKeyword('$ref', '$defs', 'definitions', '$id'),
  },
  {
    // Gemini, also behind Cursor and Copilot: "Proto field is not repeating, cannot start list"
    // (nanbingxyz/5ire#218, github/copilot-cli#4623).
    name: 'no list of types',
    broken: where(({ type }) => Array.isArray(type)),
  },
  {
    // VS Code: "tool parameters array type must have items" (microsoft/vscode#325618).
    name: 'a list says what it holds',
    broken: where(({ type, items }) => type === 'array' && (typeof items !== 'object' || items === null)),
  },
  {
    // Anthropic: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'" (anthropics/claude-code#34771).
    name: 'names of arguments are plain',
    broken: where(({ properties = {} }) => Object.keys(properties).some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key))),
  },
  {
    // Gemini: required names must be properties; ajv's strict mode, in VS Code, warns of others.
    name: 'what is required is there',
    broken: where(({ required = [], properties = {} }) => (required as string[]).some((key) => !(key in properties))),
  },
  {
    // OpenAI, Structured Outputs, "Supported schemas": at most ten levels.
    name: 'at most five levels deep',
    broken: where((_, place) => place.split(/[.[|]/).length > 6),
  },
  {
    // Gemini: "enum: only allowed for STRING type" (nanbingxyz/5ire#218).
    name: 'choices are texts',
    broken: where(({ enum: values = [] }) => (values as unknown[]).some((value) => typeof value !== 'string')),
  },
];

/** What some clients or models leave out or refuse; the default set does without. */
const DEFAULT_SET: Rule[] = [
  {
    name: 'no union at all',
    broken: withKeyword('anyOf'),
  },
  {
    // OpenAI refuses these for fine-tuned models, and a patch of its SDK takes them out in strict mode
    // (openai/openai-python#2734); Gemini takes few formats. Bounds are answered to the few calls that are past them.
    name: 'no bounds, patterns and formats',
    broken: withKeyword(
      ...['pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf', 'default', 'examples'],
      ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'exclusiveMinimum', 'title'],
    ),
  },
  {
    name: 'every argument has a type',
    broken: where(({ type }) => typeof type !== 'string'),
  },
];

/**
 * Where older tools do otherwise, and go on: their definitions are pinned by clients, and a change of one is a change
 * of trust.
 */
const DEVIATIONS: Record<string, string[]> = {
  'no keyword that models do not take': ['decide_candidates.decisions[].supersedes'],
  'choices are texts': ['update_work.blocker_kind'],
  'no list of types': [
    ...['assignee_passport', 'tenant_id', 'linked_pr', 'linked_issue', 'blocker_reason', 'blocker_kind'].map(
      (name) => `update_work.${name}`,
    ),
    ...['open_step.inputs', 'close_step.outputs'].flatMap((list) =>
      ['ref', 'digest', 'text', 'bytes'].map((name) => `${list}[].${name}`),
    ),
    'open_incident.window.to',
    'publish_dossier.claims[].confidence',
    ...['start', 'end', 'quote_blake3', 'state', 'why', 'superseded_by'].map(
      (name) => `publish_dossier.claims[].anchors[].${name}`,
    ),
    ...['state', 'checked_at', 'why'].map((name) => `publish_dossier.claims[].${name}`),
  ],
};

const defaultSet: Listed[] = new AgentTools().tools.map(({ definition }) => ({ ...definition }));
const older: Listed[] = [...makeServiceTools().tools, ...makeDaemonTools().tools].map(({ definition }) => ({
  ...definition,
  inputSchema: definition.inputSchema,
}));
const brokenBy = (tools: Listed[], rule: Rule): string[] =>
  tools.flatMap((tool) => rule.broken(tool).map((place) => `${tool.name}${place.startsWith('.') ? '' : ' '}${place}`));

describe('the schemas that clients are given', () => {
  it.each(EVERYWHERE)('of every tool: $name', (rule) => {
    expect(brokenBy(defaultSet, rule)).toEqual([]);
    expect(brokenBy(older, rule)).toEqual(DEVIATIONS[rule.name] ?? []);
  });

  it.each(DEFAULT_SET)('of the default set: $name', (rule) => {
    expect(brokenBy(defaultSet, rule)).toEqual([]);
  });

  it('are those of all sets, and no name is in two', () => {
    const names = [...defaultSet, ...older].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the rules', () => {
  const schema = (more: Schema): Listed => ({ name: 'x', description: 'x', inputSchema: { type: 'object', ...more } });
  it.each<[string, Schema]>([
    ['no list of types', { properties: { a: { type: ['string', 'null'] } } }],
    ['a list says what it holds', { properties: { a: { type: 'array' } } }],
    ['names of arguments are plain', { properties: { 'a b': {} } }],
    ['the root is an object, and no union', { anyOf: [] }],
    ['no references', { properties: { a: { type: 'array', items: { $ref: '#/x' } } } }],
    ['what is required is there', { required: ['a'] }],
    ['choices are texts', { properties: { a: { enum: [1] } } }],
    ['no keyword that models do not take', { properties: { a: { anyOf: [{ const: 'x' }] } } }],
    ['no bounds, patterns and formats', { properties: { a: { type: 'string', format: 'uuid' } } }],
  ])('find what breaks %j', (name, broken) => {
    const rule = [...EVERYWHERE, ...DEFAULT_SET].find((one) => one.name === name)!;
    expect(rule.broken(schema(broken))).not.toEqual([]);
  });
});
