import type { Type as Class } from '@nestjs/common';
import type { Address } from '../../common/contract/contract.js';
import type { AgentToolName } from '../../common/contract/tool-names.js';
import type { JsonSchema } from '../../common/fields/fields.js';
import { jsonSchemaOf } from '../../common/fields/json-schema.js';
import { definitionDigest } from '../tools/make-tool.js';
import type { AgentAnswer } from './agent-answer.js';
import type { ServerName, Servers } from './servers.js';

/** A route of one of the two servers: `api POST /v1/retrieve`. */
type ServerRoute = `${ServerName} ${Address}`;

/**
 * `held`: the key is held while the call lasts. `api`: what the API is sent is made of the arguments and the key alone,
 * so that the API makes it once; nothing is held while the call waits. `called`: the tool that it calls.
 */
type Once = 'held' | 'api' | 'called';

/**
 * A tool of the default set: made for a model, it answers text with ids that other tools take, and may need several
 * routes of both servers. What it changes, it changes by one of them.
 */
export interface AgentToolDeclaration<Given extends object = object> {
  name: AgentToolName;
  title: string;
  /** For the model: what it does, what comes back, what to do next. Every word is paid for in each conversation. */
  description: string;
  /** Its arguments, in snake_case. */
  given: Class<Given>;
  /** The routes it may call; the first is the one that a switch of the shield on a route stops it by. */
  routes: readonly [ServerRoute, ...ServerRoute[]];
  /** Whether it changes nothing. */
  isRead: boolean;
  /** Of one that changes something: what makes its effect one, however often it comes with the same key. */
  once?: Once;
  isDestructive?: true;
  /** Whether its answer may hold text that others wrote. */
  isOpenWorld?: true;
  /** Whether a call changes something by a route of the API; absent: where its effect is one by the API. */
  changesApi?(given: Given): boolean;
  /** @throws RouteRefusal, Problem */
  run(given: Given, servers: Servers): Promise<AgentAnswer>;
}

/** What clients see of a tool and what they trust. */
interface AgentToolDefinition {
  name: AgentToolName;
  title: string;
  description: string;
  inputSchema: ListedSchema;
  annotations: Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint', boolean>;
}

export interface AgentTool extends AgentToolDeclaration {
  changesApi(given: object): boolean;
  definition: AgentToolDefinition;
  /** `sha256:<hex>` over the RFC 8785 form of the definition. */
  digest: string;
}

/** The address of the route that a switch of the shield stops it by. */
export const addressOf = ({ routes: [route] }: Pick<AgentToolDeclaration, 'routes'>): Address =>
  route.replace(/^\w+ /, '') as Address;

export function makeAgentTool(declared: AgentToolDeclaration): AgentTool {
  const { name, title, description, given, isRead, isDestructive = false, isOpenWorld = false } = declared;
  const definition: AgentToolDefinition = {
    ...{ name, title, description, inputSchema: listedSchema(given) },
    annotations: {
      ...{ readOnlyHint: isRead, destructiveHint: isDestructive },
      ...{ idempotentHint: isRead, openWorldHint: isOpenWorld },
    },
  };
  const changesApi = () => declared.once === 'api';
  return { changesApi, ...declared, definition, digest: definitionDigest(definition) };
}

interface ListedSchema extends JsonSchema {
  type: 'object';
  properties: Record<string, JsonSchema>;
  required?: string[];
}

/** What these are, their names say. */
const NAMED_WELL = new Set(['agent_id', 'token_budget', 'limit', 'cursor']);

/**
 * The arguments as a model needs them: kinds, choices and what they are. Bounds are left out: the few calls that are
 * past them are answered with the bound, and every conversation pays for what is listed.
 */
function listedSchema(given: Class): ListedSchema {
  const { properties, required } = jsonSchemaOf(given, 'input');
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, listed(name, schema)])),
    ...(required ? { required } : {}),
  };
}

function listed(
  name: string,
  { type, enum: values, items, properties, required, description }: JsonSchema,
): JsonSchema {
  return {
    type,
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items: listed('', items as JsonSchema) }),
    ...(properties === undefined ? {} : { properties: listedMembers(properties as Record<string, JsonSchema>) }),
    ...(required === undefined ? {} : { required }),
    ...(name === '' || NAMED_WELL.has(name) || description === undefined ? {} : { description }),
  };
}

const listedMembers = (members: Record<string, JsonSchema>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, listed(name, schema)]));

/** Declares one, with the type of its arguments where it runs. */
export const agentTool = <Given extends object>(declared: AgentToolDeclaration<Given>): AgentToolDeclaration =>
  declared;
