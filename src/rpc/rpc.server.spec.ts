import { expect, it } from 'vitest';
import { JsonText } from './json-text.js';
import type { Peer } from './peer.js';
import { RpcServer } from './rpc.server.js';

const PEER: Peer = {
  ...{ transport: 'stdio', isPublic: false, credential: {}, clientAddress: '127.0.0.1', requestId: 'of-the-test' },
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
};

it('answers a call whose result cannot be written with an internal error, and the others with theirs', async () => {
  const recorded: unknown[] = [];
  const server = new RpcServer([], { error: (facts: object) => void recorded.push(facts) } as never);
  server.addHandler('broken', () => Promise.resolve({ structuredContent: new JsonText('# no JSON') }));
  server.addHandler('whole', () => Promise.resolve({ structuredContent: new JsonText('{"a":1}') }));
  const call = (id: number, method: string) => ({ jsonrpc: '2.0', id, method });
  const { text } = await server.dispatch(JSON.stringify([call(1, 'broken'), call(2, 'whole')]), PEER);
  expect(JSON.parse(text!)).toEqual([
    {
      ...{ jsonrpc: '2.0', id: 1 },
      error: expect.objectContaining({
        code: -32603,
        data: expect.objectContaining({ type: 'InternalError', request_id: 'of-the-test' }),
      }),
    },
    { jsonrpc: '2.0', id: 2, result: { structuredContent: { a: 1 } } },
  ]);
  expect(recorded).toEqual([expect.objectContaining({ request_id: 'of-the-test', error: expect.any(SyntaxError) })]);
});
