import type { Tool } from '@modelcontextprotocol/server';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DAEMON_ROUTES } from '../contract/daemon-contract.js';
import { DAEMON_TOOLS, type DaemonTool } from './tool-table.js';

/** Where an argument of a tool goes in the request to its route. */
export interface ToolParameter {
  /** In the route's own spelling: `factId`. */
  name: string;
  in: 'path' | 'query' | 'body';
}

/** A tool as it can be called. */
export interface CallableTool {
  tool: DaemonTool;
  definition: Tool;
  /** By the name of the argument: `fact_id`. */
  parameters: Map<string, ToolParameter>;
}

type Schema = Record<string, unknown>;
interface Operation {
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** The scopes of a tool's route beside its definition. */
export const SCOPES_META = 'svc/scopes';

/** The definitions of all tools, their JSON Schemas (2020-12) made from the OpenAPI document of their routes: written once, there. */
export function callableTools(document: OpenAPIObject): Map<string, CallableTool> {
  const served = DAEMON_TOOLS.filter(({ route }) => DAEMON_ROUTES.has(route));
  return new Map(served.map((tool) => [tool.name, callable(tool, document)]));
}

function callable(tool: DaemonTool, document: OpenAPIObject): CallableTool {
  const operation = operationOf(tool, document);
  const { parameters, properties, required } = takeArguments(operation, document);
  const { name, title, description, annotations, route } = tool;
  const definition = {
    name,
    title,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    outputSchema: inlined(answerOf(operation), document),
    annotations: { title, openWorldHint: false, ...annotations },
    _meta: { [SCOPES_META]: DAEMON_ROUTES.get(route)?.scopes },
  } as Tool;
  return { tool, definition, parameters };
}

interface Arguments {
  parameters: Map<string, ToolParameter>;
  properties: Schema;
  required: string[];
}

/** The members of path, query and body as the arguments of one call. Headers are the client's business. */
function takeArguments(operation: Operation, document: OpenAPIObject): Arguments {
  const taken: Arguments = { parameters: new Map(), properties: {}, required: [] };
  const take = (argument: string, parameter: ToolParameter, schema: unknown, isRequired: boolean): void => {
    taken.parameters.set(argument, parameter);
    taken.properties[argument] = schema;
    if (isRequired) taken.required.push(argument);
  };
  for (const { name, in: place, required = false, description, schema } of operation.parameters ?? []) {
    if (place !== 'path' && place !== 'query') continue;
    const own = inlined(schema ?? {}, document) as Schema;
    take(snakeCase(name), { name, in: place }, { ...own, description }, required);
  }
  const body = inlined(bodyOf(operation), document) as { properties?: Schema; required?: string[] };
  for (const [name, schema] of Object.entries(body.properties ?? {}))
    take(name, { name, in: 'body' }, schema, body.required?.includes(name) ?? false);
  return taken;
}

const bodyOf = ({ requestBody }: Operation): Schema => Object.values(requestBody?.content ?? {})[0]?.schema ?? {};

function answerOf({ responses }: Operation): Schema {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return success?.content?.['application/json']?.schema ?? { type: 'object' };
}

function operationOf({ name, route }: DaemonTool, { paths }: OpenAPIObject): Operation {
  const [verb, path] = route.split(' ') as [string, string];
  const item = paths[path.replace(/:(\w+)/g, '{$1}')] as Record<string, Operation> | undefined;
  const operation = item?.[verb.toLowerCase()];
  if (!operation) throw new Error(`The tool ${name} has no route ${route}`);
  return operation;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** References replaced by what they mean: a tool's schema stands for itself. No schema of the daemon holds itself. */
function inlined(node: unknown, document: OpenAPIObject): unknown {
  if (Array.isArray(node)) return node.map((item) => inlined(item, document));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, ...rest } = node as { $ref?: string };
  const target = $ref === undefined ? {} : document.components?.schemas?.[$ref.split('/').at(-1)!];
  return Object.fromEntries(
    Object.entries({ ...target, ...rest }).map(([key, value]) => [key, inlined(value, document)]),
  );
}
