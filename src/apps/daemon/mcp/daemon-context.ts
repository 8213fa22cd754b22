import type {
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  Prompt,
  ReadResourceResult,
  Server,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { RouteRecord } from '../../../common/contract/contract.js';
import {
  contextFailure,
  promptOf,
  promptUnknown,
  resourceUnknown,
  textResource,
} from '../../../rpc/mcp/mcp-context.js';
import { partsOfUri, resourceUri } from '../../../rpc/mcp/resource-uris.rules.js';
import { isUuid } from '../../../common/ids/uuid-form.js';
import { isProjectStartServed, PROJECT_START, startProject } from './project-prompt.js';
import { callRoute, type ToolRoutes } from './tool-call.js';

const PAGE = 50;
const JSON_TYPE = 'application/json';

const SESSION_START: Prompt = {
  name: 'session_start',
  title: 'Start a session',
  description: 'What an agent should know before it begins: the procedure of its session and what goes with it.',
  arguments: [
    { name: 'agent_id', description: 'The agent that begins.' },
    { name: 'model_id', description: 'The model it runs on; instructions are chosen for it.' },
  ],
};

const TEMPLATES: (ListResourceTemplatesResult['resourceTemplates'][number] & { route: string })[] = [
  {
    uriTemplate: 'svc://facts/{fact_id}',
    name: 'fact',
    title: 'A fact',
    description: 'One fact with its whole value, who wrote it and its receipt.',
    mimeType: JSON_TYPE,
    route: 'GET /v1/facts/:factId',
  },
  {
    uriTemplate: 'svc://entities/{entity}/facts',
    name: 'facts_of_entity',
    title: 'What is known of an entity',
    description: 'The latest facts under an entity such as user:ada, newest first.',
    mimeType: JSON_TYPE,
    route: 'GET /v1/facts/entity/:entity',
  },
  {
    uriTemplate: 'svc://engrams/{name}',
    name: 'engram',
    title: 'An engram',
    description: 'Instructions for agents, in their current version.',
    mimeType: 'text/markdown',
    route: 'GET /v1/engrams/:name',
  },
];

interface EngramShown {
  name: string;
  description: string;
  content: string;
}

interface FactShown {
  fact_id: string;
  entity: string;
  key: string;
  stored_at: string;
}

/**
 * Prompts and resources of the daemon's MCP listener. As with tools, each is a route of the HTTP listener, called as
 * whoever asks; what no route serves is not offered.
 */
export class DaemonContext {
  private readonly served: ReadonlySet<string>;

  constructor(
    private readonly routes: ToolRoutes,
    declared: readonly RouteRecord[],
  ) {
    this.served = new Set(declared.map(({ address }) => address));
  }

  /** @param clientOf who asks */
  serve(server: Server, clientOf: () => FastifyRequest): void {
    server.setRequestHandler('prompts/list', ({ params }) => this.listPrompts(params?.cursor, clientOf()));
    server.setRequestHandler('prompts/get', ({ params }) => this.getPrompt(params, clientOf()));
    server.setRequestHandler('resources/list', ({ params }) => this.listResources(params?.cursor, clientOf()));
    server.setRequestHandler('resources/templates/list', () => this.listTemplates());
    server.setRequestHandler('resources/read', ({ params }) => this.read(params.uri, clientOf()));
  }

  /** The starts of a session and in a project, then the engrams by name. @throws ProtocolError */
  private async listPrompts(cursor: string | undefined, request: FastifyRequest): Promise<ListPromptsResult> {
    const starts = [
      ...(this.served.has('POST /v1/memory/session-init') ? [SESSION_START] : []),
      ...(isProjectStartServed(this.served) ? [PROJECT_START] : []),
    ];
    const own = cursor === undefined ? starts : [];
    if (!this.served.has('GET /v1/engrams')) return { prompts: own };
    const { engrams, next_cursor } = await this.list<{ engrams: EngramShown[]; next_cursor: string | null }>(
      `/v1/engrams?${pageOf(cursor)}`,
      request,
      { engrams: [], next_cursor: null },
    );
    const prompts = engrams.map(({ name, description }) => ({ name, description, arguments: [] }));
    return { prompts: [...own, ...prompts], ...(next_cursor === null ? {} : { nextCursor: next_cursor }) };
  }

  /** @throws ProtocolError */
  private async getPrompt(
    { name, arguments: given = {} }: { name: string; arguments?: Record<string, string> | undefined },
    request: FastifyRequest,
  ): Promise<GetPromptResult> {
    if (name === SESSION_START.name) return this.startSession(given, request);
    if (name === PROJECT_START.name && isProjectStartServed(this.served))
      return startProject(this.routes, given, request);
    const engram = await this.findEngram(name, request);
    if (!engram) throw promptUnknown(name);
    return promptOf(engram.description, engram.content);
  }

  private async startSession(given: Record<string, string>, request: FastifyRequest): Promise<GetPromptResult> {
    if (!this.served.has('POST /v1/memory/session-init')) throw promptUnknown(SESSION_START.name);
    const sent = { method: 'POST', path: '/v1/memory/session-init', body: given };
    const { status, answer } = await callRoute(this.routes.http, sent, request);
    if (status >= 400) throw contextFailure(status, answer);
    return promptOf(SESSION_START.description!, String(answer['body']));
  }

  /** The facts that the caller may see, newest first. @throws ProtocolError */
  private async listResources(cursor: string | undefined, request: FastifyRequest): Promise<ListResourcesResult> {
    const { facts, next_cursor } = await this.list<{ facts: FactShown[]; next_cursor: string | null }>(
      `/v1/facts/list?include_superseded=0&${pageOf(cursor)}`,
      request,
      { facts: [], next_cursor: null },
    );
    const resources = facts.map(({ fact_id, entity, key, stored_at }) => ({
      uri: resourceUri('facts', fact_id),
      name: `${entity} ${key}`,
      mimeType: JSON_TYPE,
      annotations: { lastModified: stored_at },
    }));
    return { resources, ...(next_cursor === null ? {} : { nextCursor: next_cursor }) };
  }

  private listTemplates(): ListResourceTemplatesResult {
    const resourceTemplates = TEMPLATES.filter(({ route }) => this.served.has(route)).map(
      ({ route: _, ...template }) => template,
    );
    return { resourceTemplates };
  }

  /** @throws ProtocolError */
  private async read(uri: string, request: FastifyRequest): Promise<ReadResourceResult> {
    const [kind, name = '', more, ...rest] = partsOfUri(uri) ?? [];
    if (rest.length > 0) throw resourceUnknown(uri);
    if (kind === 'facts' && more === undefined && isUuid(name)) return this.readJson(uri, `/v1/facts/${name}`, request);
    if (kind === 'entities' && more === 'facts')
      return this.readJson(uri, `/v1/facts/entity/${encodeURIComponent(name)}`, request);
    const engram = kind === 'engrams' && more === undefined ? await this.findEngram(name, request) : undefined;
    if (!engram) throw resourceUnknown(uri);
    return textResource(uri, 'text/markdown', engram.content);
  }

  private async readJson(uri: string, path: string, request: FastifyRequest): Promise<ReadResourceResult> {
    const sent = { method: 'GET', path, body: undefined };
    const { status, answer, text } = await callRoute(this.routes.http, sent, request);
    if (status === 404) throw resourceUnknown(uri);
    if (status >= 400) throw contextFailure(status, answer);
    return textResource(uri, JSON_TYPE, text);
  }

  private async findEngram(name: string, request: FastifyRequest): Promise<EngramShown | undefined> {
    if (!this.served.has('GET /v1/engrams/:name') || !/^[\w-]{1,64}$/.test(name)) return undefined;
    const sent = { method: 'GET', path: `/v1/engrams/${name}`, body: undefined };
    const { status, answer } = await callRoute(this.routes.http, sent, request);
    if (status === 404 || status === 400) return undefined;
    if (status >= 400) throw contextFailure(status, answer);
    return answer['engram'] as EngramShown;
  }

  /**
   * A list has what the caller may see. Without the scope that is nothing, and no failure: clients list whatever a
   * server declares, before anybody asks for it.
   * @throws ProtocolError
   */
  private async list<T>(path: string, request: FastifyRequest, none: T): Promise<T> {
    const { status, answer } = await callRoute(this.routes.http, { method: 'GET', path, body: undefined }, request);
    if (status === 403 && 'missingAnyScope' in answer) return none;
    if (status >= 400) throw contextFailure(status, answer);
    return answer as T;
  }
}

const pageOf = (cursor: string | undefined): string =>
  new URLSearchParams({ limit: String(PAGE), ...(cursor === undefined ? {} : { cursor }) }).toString();
