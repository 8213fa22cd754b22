import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { PROGRAM } from '../../kit/program.js';

/** As whom a transport is spoken through, and where. */
export interface TransportAddress {
  toolsUrl: string;
  apiUrl: string;
  databaseUrl: string;
  tenantId: string;
  apiKey: string;
}

/** One way to have a payload answered: by one text, or by none. */
export interface OpenTransport {
  name: string;
  ask(payload: string | Uint8Array): Promise<string[]>;
  close(): Promise<void>;
}

/** POST /rpc: one request a payload. */
export function speakRpc({ toolsUrl, tenantId, apiKey }: TransportAddress): OpenTransport {
  return {
    name: '/rpc',
    ask: async (payload) => {
      const response = await fetch(`${toolsUrl}/rpc`, {
        method: 'POST',
        headers: { 'x-tenant-id': tenantId, 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: Buffer.from(payload),
      });
      const text = await response.text();
      expect([text === '', response.status]).toEqual([text === '', text === '' ? 204 : 200]);
      return text === '' ? [] : [text];
    },
    close: async () => undefined,
  };
}

/** POST /stream: a payload a line, an answer a line. */
export function speakStream({ toolsUrl, tenantId, apiKey }: TransportAddress): OpenTransport {
  return {
    name: '/stream',
    ask: async (payload) => {
      const response = await fetch(`${toolsUrl}/stream`, {
        method: 'POST',
        headers: { 'x-tenant-id': tenantId, 'x-api-key': apiKey, 'content-type': 'application/x-ndjson' },
        body: Buffer.from(payload),
      });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
      return (await response.text()).split('\n').filter(Boolean);
    },
    close: async () => undefined,
  };
}

/** `svc stdio`: a real process. After each payload a call whose answer is known marks where its answers end. */
export function speakStdio(address: TransportAddress): OpenTransport {
  const child = spawnStdio(address);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let marks = 0;
  return {
    name: 'stdio',
    ask: async (payload) => {
      const mark = `mark-${++marks}`;
      child.stdin!.write(payload);
      child.stdin!.write(`\n${JSON.stringify({ jsonrpc: '2.0', id: mark, method: 'no_such_method' })}\n`);
      const found: string[] = [];
      let isMarked = false;
      // The mark is answered at once, and may overtake what was asked before it.
      while (!isMarked || (found.length === 0 && expectsAnswer(payload))) {
        const { value, done } = await lines.next();
        if (done) throw new Error('svc stdio ended');
        if (value.includes(mark)) isMarked = true;
        else found.push(value);
      }
      return found;
    },
    close: async () => {
      child.stdin!.end();
      await exited;
    },
  };
}

/** Whether anything is answered at all: not to notifications. */
function expectsAnswer(payload: string | Uint8Array): boolean {
  try {
    const value = JSON.parse(
      typeof payload === 'string' ? payload : new TextDecoder('utf-8', { fatal: true }).decode(payload),
    );
    return (
      [value].flat().length === 0 ||
      [value].flat().some((one) => !(one?.jsonrpc === '2.0' && typeof one.method === 'string' && !('id' in one)))
    );
  } catch {
    return true;
  }
}

export function spawnStdio(address: TransportAddress, stderr: 'inherit' | 'pipe' = 'inherit'): ChildProcess {
  const { command, args, env } = stdioCommand(address);
  return spawn(command, args, { env, stdio: ['pipe', 'pipe', stderr] });
}

/** How a client starts `svc stdio`. */
export const stdioCommand = ({ apiUrl, databaseUrl, tenantId, apiKey }: TransportAddress) => ({
  command: process.execPath,
  args: [PROGRAM, 'stdio'],
  env: {
    PATH: process.env['PATH'] ?? '',
    SVC_DATABASE_URL: databaseUrl,
    SVC_API_URL: apiUrl,
    MCP_STDIO_API_KEY: apiKey,
    MCP_STDIO_TENANT_ID: tenantId,
    SVC_TOOLS_RATE_LIMIT: '0',
    SVC_LOG_LEVEL: 'silent',
  },
});
