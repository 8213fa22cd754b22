import {
  Client,
  StreamableHTTPClientTransport,
  type ElicitRequest,
  type ElicitResult,
} from '@modelcontextprotocol/client';
import type { TestTenant } from '../../kit/app.js';

/**
 * The revisions of the protocol that clients speak: in which every request stands for itself, and with the handshake
 * before.
 */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

export interface ClientOptions {
  revision?: Revision;
  /** How its user answers what a server asks; without it, the client does not declare that it can ask anybody. */
  answer?: (asked: ElicitRequest['params']) => Promise<ElicitResult> | ElicitResult;
  headers?: Record<string, string>;
}

/** The official client, with the credential of a tenant. */
export async function connect(url: string, tenant: TestTenant, options: ClientOptions = {}): Promise<Client> {
  const { revision = '2026-07-28', answer, headers } = options;
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: answer ? { elicitation: {} } : {},
      versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' },
    },
  );
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params));
  const credential = { 'x-tenant-id': tenant.tenantId, 'x-api-key': tenant.apiKey };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: { ...credential, ...headers } },
    }),
  );
  return client;
}

/** A request of 2026-07-28 as it stands on the wire, for what the official client would not send. */
export const envelope = (method: string, params: object = {}, capabilities: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    },
  },
});

/** The headers that mirror a request of 2026-07-28. */
export const mirrored = (method: string, name?: string): Record<string, string> => ({
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});
