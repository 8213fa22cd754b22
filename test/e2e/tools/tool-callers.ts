import { Client, ProtocolError, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'vitest';
import {
  speakRpc,
  speakStdio,
  speakStream,
  stdioCommand,
  type TransportAddress,
  type OpenTransport,
} from './transports.js';

export const TRANSPORTS = ['/rpc', 'tools/call on /rpc', '/stream', 'stdio', 'MCP', 'MCP on stdio'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

/** What a tool answered, whichever transport said it. Untyped: the tests assert on shapes they know. */
export interface ToolOutcome {
  result?: any;
  /** As the transport marks an answer of an earlier call. */
  replayed?: true;
  error?: { code: number; message: string; data?: any };
}

/** An outside client that calls tools by one transport, as one principal. */
export interface ToolCaller {
  name: TransportName;
  call(tool: string, args: object): Promise<ToolOutcome>;
  close(): Promise<void>;
}

export function openTransport(name: TransportName, address: TransportAddress): Promise<ToolCaller> {
  switch (name) {
    case '/rpc':
      return byMethod(name, speakRpc(address));
    case 'tools/call on /rpc':
      return byToolsCall(name, speakRpc(address));
    case '/stream':
      return byMethod(name, speakStream(address));
    case 'stdio':
      return byMethod(name, speakStdio(address));
    case 'MCP':
      return byClient(name, httpTransport(address));
    case 'MCP on stdio':
      return byClient(name, new StdioClientTransport(stdioCommand(address)));
  }
}

/** Methods are the names of tools. */
async function byMethod(name: TransportName, transport: OpenTransport): Promise<ToolCaller> {
  return {
    name,
    call: async (tool, args) => {
      const { result, error } = await ask(transport, tool, args);
      if (error) return { error };
      const { replayed, ...own } = result;
      return { result: own, ...markedBy(replayed) };
    },
    close: () => transport.close(),
  };
}

async function byToolsCall(name: TransportName, transport: OpenTransport): Promise<ToolCaller> {
  return {
    name,
    call: async (tool, args) => {
      const { result, error } = await ask(transport, 'tools/call', { name: tool, arguments: args });
      return error ? { error } : { result: contentOf(result), ...markedBy(result.replayed) };
    },
    close: () => transport.close(),
  };
}

async function ask(transport: OpenTransport, method: string, params: object): Promise<ToolOutcome> {
  const id = crypto.randomUUID();
  const answers = await transport.ask(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  expect(answers).toHaveLength(1);
  const { jsonrpc, id: answered, ...outcome } = JSON.parse(answers[0]!);
  expect([jsonrpc, answered]).toEqual(['2.0', id]);
  return outcome;
}

/**
 * The official client, pinned to the current protocol. It validates what tools answer against the schemas they are
 * listed with.
 */
async function byClient(name: TransportName, transport: Transport): Promise<ToolCaller> {
  const client = new Client(
    { name: 'outside', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(transport);
  await client.listTools();
  return {
    name,
    call: async (tool, args) => {
      try {
        const result = await client.callTool({ name: tool, arguments: { ...args } });
        return result.isError
          ? { error: result._meta!['svc/error'] as ToolOutcome['error'] }
          : { result: contentOf(result), ...markedBy(result._meta?.['svc/replayed']) };
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        const { code, message, data } = error;
        return { error: { code, message, data } };
      }
    },
    close: () => client.close(),
  };
}

/** A mark is there only where it is true. */
function markedBy(mark: unknown): { replayed?: true } {
  expect([undefined, true]).toContain(mark);
  return mark === true ? { replayed: mark } : {};
}

/** What is said twice, as structure and as text for older clients, must be the same. */
function contentOf({ content, structuredContent }: any): unknown {
  expect(content).toEqual([{ type: 'text', text: expect.any(String) }]);
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
  return structuredContent;
}

const httpTransport = ({ toolsUrl, tenantId, apiKey }: TransportAddress): Transport =>
  new StreamableHTTPClientTransport(new URL('/mcp', toolsUrl), {
    requestInit: { headers: { 'x-tenant-id': tenantId, 'x-api-key': apiKey } },
  });
