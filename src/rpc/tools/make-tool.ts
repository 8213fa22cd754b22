import { canonicalJson } from '../../evidence/canonical-json.js';
import { namedDigest } from '../../evidence/digest.js';
import { sha256 } from '../../evidence/sha256.js';
import { allowsExtraMembers, fieldsOf, type JsonSchema } from '../../common/fields/fields.js';
import { isRequired, jsonSchemaOf, memberSchemaOf } from '../../common/fields/json-schema.js';
import { FENCE_PARAMETER } from '../../common/contract/fence.js';
import { snakeCase } from '../../common/fields/snake-case.js';
import { CONTROL_SCHEMAS, TENANT_SCHEMA } from './control-parameters.js';
import { nestedMembersOf } from './nested-members.js';
import { inParameterNames } from './parameter-names.js';
import type { InputSchema, Tool, ToolAddress, ToolDefinition, ToolMember } from './tool.js';
import type { NamedToolDeclaration, ToolDeclaration, ToolRoute } from '../../common/contract/tool-declaration.js';

/** The member of a DTO that the tool's own parameter for the key of the effect stands for. */
const KEY_MEMBER = 'idempotencyKey';
const TENANT_MEMBER = 'tenantId';

/** `sha256:<hex>` over the RFC 8785 form. */
export const definitionDigest = (value: unknown): string => namedDigest('sha256', sha256(canonicalJson(value)));

/** What the tools of one server have in common. */
export interface ToolOptions {
  /** Calls with the caller's credential may bear the token of an approval. */
  hasApprovals: boolean;
}

/** Makes of a declaration what a server of tools works with. */
export function makeTool(declared: NamedToolDeclaration, { hasApprovals }: ToolOptions): Tool {
  const routes: ToolRoute[] = [declared, ...(declared.orRoutes ?? [])];
  const addresses = routes.map((route): ToolAddress => ({
    address: route.route,
    pathMembers: route.path ? membersOf(route.path, 'path', declared) : [],
  }));
  const members = inOwnNames([
    ...addresses.flatMap(({ pathMembers }) => pathMembers),
    ...(declared.query ? membersOf(declared.query, 'query', declared) : []),
    ...(declared.single ? membersOf(declared.single.type, 'single', declared) : []),
    ...(declared.body ? membersOf(declared.body, 'body', declared) : []),
    ...(declared.fenced ? [FENCE_MEMBER] : []),
  ]);
  refuseUnknownParameters(declared, members);
  const exactlyOne = addresses.length > 1 ? addresses.flatMap(({ pathMembers }) => pathMembers.map(nameOf)) : [];
  const definition = defineTool(declared, members, { exactlyOne, hasApprovals });
  const credential = declared.credential ?? 'caller';
  return {
    definition,
    digest: definitionDigest(definition),
    route: declared.route,
    addresses,
    members,
    aliases: aliasesOf(declared, members),
    defaults: declared.defaults ?? {},
    exactlyOne,
    single: declared.single?.member,
    fixed: declared.fixed ?? {},
    hasBody: declared.body !== undefined,
    isRead: declared.isRead,
    isPublic: credential !== 'caller',
    idempotency: declared.idempotency ?? 'none',
    restsOn: declared.restsOn,
    credential,
    spends: declared.spends,
  };
}

/** The fence of a lease, among the arguments of a tool. */
const FENCE_MEMBER: ToolMember = {
  name: 'fence',
  member: FENCE_PARAMETER.name,
  place: 'header',
  schema: {
    ...FENCE_PARAMETER.schema,
    description:
      'The fence of the lease under which you write, as your claim or acquisition answered it. The write is refused once that lease has ended, and names the newer holder.',
  },
  isRequired: false,
};

/** What the API says of one member may name another. */
const inOwnNames = (members: ToolMember[]): ToolMember[] =>
  members.map((member) => ({ ...member, schema: describedIn(members, member.schema) }));

/** A schema whose descriptions, at every depth, name the parameters. */
function describedIn(members: readonly ToolMember[], schema: JsonSchema): JsonSchema {
  const { description, properties, items, anyOf } = schema as NestingSchema;
  const inOne = (one: JsonSchema): JsonSchema => describedIn(members, one);
  const inAll = (all: object) => Object.entries(all).map(([name, one]) => [name, inOne(one as JsonSchema)] as const);
  return {
    ...schema,
    ...(description === undefined ? {} : { description: inParameterNames(members, description) }),
    ...(properties ? { properties: Object.fromEntries(inAll(properties)) } : {}),
    ...(items ? { items: inOne(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(inOne) } : {}),
  };
}

/** The keywords under which the fields of a DTO hold further schemas. */
interface NestingSchema extends JsonSchema {
  description?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
}

/** A slip of the pen in a declaration stops the start. */
function refuseUnknownParameters(
  { name, names, aliases, defaults, about, spends }: NamedToolDeclaration,
  members: ToolMember[],
) {
  const known = new Set(members.map(nameOf));
  const said = [names, aliases].flatMap((given) => Object.values(given ?? {}));
  const meant = [...said, ...Object.keys({ ...defaults, ...about }), ...(spends === undefined ? [] : [spends])];
  const unknown = meant.find((one) => !known.has(one));
  if (unknown !== undefined) throw new Error(`The tool ${name} has no parameter ${unknown}`);
}

const nameOf = ({ name }: ToolMember): string => name;

function membersOf(type: NonNullable<ToolRoute['path']>, place: ToolMember['place'], declared: ToolDeclaration) {
  const own = fieldsOf(type).filter(
    ({ name }) =>
      name !== KEY_MEMBER &&
      !(place === 'body' && (name === declared.single?.member || name in (declared.fixed ?? {}))),
  );
  return own.map((field): ToolMember => {
    const name = declared.names?.[field.name] ?? snakeCase(field.name);
    const preset = declared.defaults?.[name];
    const schema = field.name === TENANT_MEMBER ? TENANT_SCHEMA : memberSchemaOf(field, 'input');
    const nested = nestedMembersOf(field);
    return {
      name,
      member: field.name,
      place,
      schema: {
        ...schema,
        description: declared.about?.[name] ?? schema.description,
        ...(preset === undefined ? {} : { default: preset }),
      },
      ...(nested ? { nested } : {}),
      isRequired: isRequired(field, 'input') && preset === undefined,
    };
  });
}

interface InputOptions extends ToolOptions {
  /** Of these parameters exactly one must be given. */
  exactlyOne: string[];
}

function defineTool(declared: NamedToolDeclaration, members: ToolMember[], options: InputOptions): ToolDefinition {
  const { name, title, description, answer, isRead } = declared;
  const { isDestructive = false, isIdempotent = false, isOpenWorld = false } = declared;
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(declared, members, options),
    outputSchema: jsonSchemaOf(answer, 'output'),
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: isDestructive,
      idempotentHint: isRead || isIdempotent || (declared.idempotency ?? 'none') !== 'none',
      openWorldHint: isOpenWorld,
    },
  };
}

/**
 * The root has none of anyOf, oneOf and allOf, which the interfaces of language models refuse there: that exactly one
 * of several parameters must be given stands in their descriptions, and readArguments sees to it.
 */
function inputSchemaOf(
  declared: NamedToolDeclaration,
  members: ToolMember[],
  { exactlyOne, hasApprovals }: InputOptions,
): InputSchema {
  const properties: Record<string, JsonSchema> = Object.fromEntries([
    ...members.map(({ name, schema }) => [name, schema] as const),
    ...controlsOf(declared, hasApprovals),
  ]);
  const mandatory = members.filter(({ name, isRequired }) => isRequired && !exactlyOne.includes(name)).map(nameOf);
  // One parameter may go to two places: what the path names, a body may repeat.
  const required = [...new Set(mandatory), ...(declared.credential === 'session_token' ? ['session_token'] : [])];
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: declared.body !== undefined && allowsExtraMembers(declared.body),
  };
}

function controlsOf(
  { credential = 'caller', idempotency = 'none' }: ToolDeclaration,
  hasApprovals: boolean,
): [string, JsonSchema][] {
  return [
    ...(credential === 'session_token'
      ? [['session_token', CONTROL_SCHEMAS.session_token] as [string, JsonSchema]]
      : []),
    ...(idempotency === 'none' ? [] : [['idempotency_key', CONTROL_SCHEMAS[idempotency]] as [string, JsonSchema]]),
    ...(credential === 'caller' && hasApprovals
      ? [['shield_approval_token', CONTROL_SCHEMAS.shield_approval_token] as [string, JsonSchema]]
      : []),
  ];
}

/** The declared aliases, and the API's own name of each parameter that has another one here. */
function aliasesOf({ names = {}, aliases = {} }: ToolDeclaration, members: ToolMember[]): Map<string, string> {
  const taken = new Set(members.map(nameOf));
  const renamed = Object.entries(names)
    .map(([member, name]) => [snakeCase(member), name] as const)
    .filter(([alias]) => !taken.has(alias));
  return new Map([...renamed, ...Object.entries(aliases)]);
}
