import { Injectable } from '@nestjs/common';
import type {
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  Prompt,
  ReadResourceResult,
  Server,
} from '@modelcontextprotocol/server';
import { ToolCallers } from '../../common/keys/tool-callers.js';
import { ApiConnection } from '../api-connection.js';
import { JsonText } from '../json-text.js';
import type { Peer } from '../peer.js';
import { ServerCredentials } from '../server-credentials.js';
import { BEARERS_TAKEN } from '../tool-caller.guard.js';
import { RpcServer } from '../rpc.server.js';
import {
  argumentMissing,
  contextFailure,
  promptOf,
  promptUnknown,
  resourceUnknown,
  textResource,
} from './mcp-context.js';
import { partsOfUri, resourceUri } from './resource-uris.rules.js';

const PAGE = 50;

const SESSION_START: Prompt = {
  name: 'session_start',
  title: 'Start a session',
  description: 'What an agent should know at the start of a session: what it noted, and what has changed since.',
  arguments: [{ name: 'agent_id', description: 'The name that the agent chose for itself.', required: true }],
};

const TEMPLATES: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      uriTemplate: 'svc://documents/{corpus_id}/{doc_id}',
      name: 'document',
      title: 'A document',
      description: 'The text of a document, in the version that is in search.',
      mimeType: 'text/plain',
    },
  ],
};

interface DocumentShown {
  corpusId: string;
  docId: string;
  title: string;
  updatedAt: string;
}

/**
 * Prompts and resources of the tool service. Each is a route of the API with the credential of whoever asks, or a tool;
 * nothing is decided here.
 */
@Injectable()
export class ServiceContext {
  constructor(
    private readonly rpc: RpcServer,
    private readonly callers: ToolCallers,
    private readonly credentials: ServerCredentials,
    private readonly api: ApiConnection,
  ) {}

  serve(server: Server, peerOf: () => Peer): void {
    server.setRequestHandler('prompts/list', (): ListPromptsResult => ({ prompts: [SESSION_START] }));
    server.setRequestHandler('resources/templates/list', () => TEMPLATES);
    server.setRequestHandler('prompts/get', ({ params }) => this.getPrompt(params, peerOf()));
    server.setRequestHandler('resources/list', ({ params }) => this.listDocuments(params?.cursor, peerOf()));
    server.setRequestHandler('resources/read', ({ params }) => this.readDocument(params.uri, peerOf()));
  }

  /**
   * By the tool that gives the same: it is counted and decided on as a call of that. @throws ProtocolError, RpcFailure
   */
  private async getPrompt(
    { name, arguments: given = {} }: { name: string; arguments?: Record<string, string> | undefined },
    peer: Peer,
  ): Promise<GetPromptResult> {
    if (name !== SESSION_START.name) throw promptUnknown(name);
    const { agent_id } = given;
    if (!agent_id) throw argumentMissing(SESSION_START, 'agent_id');
    const answer = await this.rpc.invoke('get_session_context', { agent_id }, peer);
    const text = answer instanceof JsonText ? answer.text : JSON.stringify(answer);
    return promptOf(SESSION_START.description!, `What is known at the start of this session, as JSON:\n\n${text}`);
  }

  /** @throws ProtocolError */
  private async listDocuments(cursor: string | undefined, peer: Peer): Promise<ListResourcesResult> {
    const query = new URLSearchParams({ limit: String(PAGE), ...(cursor === undefined ? {} : { cursor }) });
    const { status, answer } = await this.get(`/v1/documents?${query.toString()}`, peer);
    if (status >= 400) throw contextFailure(status, answer);
    const { documents, next_cursor } = answer as { documents: DocumentShown[]; next_cursor: string | null };
    const resources = documents.map(({ corpusId, docId, title, updatedAt }) => ({
      uri: resourceUri('documents', corpusId, docId),
      name: docId,
      title,
      mimeType: 'text/plain',
      annotations: { lastModified: updatedAt },
    }));
    return { resources, ...(next_cursor === null ? {} : { nextCursor: next_cursor }) };
  }

  /** @throws ProtocolError */
  private async readDocument(uri: string, peer: Peer): Promise<ReadResourceResult> {
    const [kind, ...ids] = partsOfUri(uri) ?? [];
    if (kind !== 'documents' || ids.length !== 2) throw resourceUnknown(uri);
    const { status, answer } = await this.get(`/v1/documents/${ids.map(encodeURIComponent).join('/')}`, peer);
    if (status === 404) throw resourceUnknown(uri);
    if (status >= 400) throw contextFailure(status, answer);
    return textResource(uri, 'text/plain', (answer as { content: string }).content);
  }

  private async get(path: string, peer: Peer): Promise<{ status: number; answer: unknown }> {
    const headers = {
      ...(await this.credentialOf(peer)),
      'x-request-id': peer.requestId,
      traceparent: peer.traceparent,
    };
    const signal = peer.signal ? { signal: peer.signal } : {};
    const { status, text } = await this.api.call({ method: 'GET', path, headers, ...signal });
    return { status, answer: JSON.parse(text) as unknown };
  }

  private async credentialOf(peer: Peer): Promise<Record<string, string>> {
    const caller = await this.callers.find(peer.credential, BEARERS_TAKEN[peer.transport]);
    return caller === undefined ? {} : this.credentials.of(caller, peer);
  }
}
