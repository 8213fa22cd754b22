import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { speakRpc, speakStdio, speakStream, type OpenTransport } from './transports.js';

let api: TestApi;
let tools: TestTools;
const transports: Record<string, OpenTransport> = {};

beforeAll(async () => {
  api = await startApi();
  tools = await startTools(api, { env: { SVC_TOOLS_RATE_LIMIT: '0' } });
  const { tenantId, apiKey } = api.tenant;
  const address = { toolsUrl: tools.url, apiUrl: api.url, databaseUrl: api.database.url, tenantId, apiKey };
  for (const transport of [speakRpc(address), speakStream(address), speakStdio(address)])
    transports[transport.name] = transport;
});
afterAll(async () => {
  for (const transport of Object.values(transports)) await transport.close();
  await tools.close();
  await api.close();
});

const call = (members: object) => JSON.stringify({ jsonrpc: '2.0', method: 'get_credit_balance', ...members });
const known = { params: { agent_id: 'a' } };
const ok = (id: unknown) => ({ jsonrpc: '2.0', id, result: expect.objectContaining({ agentId: 'a' }) });
const error = (id: unknown, code: number) => ({
  jsonrpc: '2.0',
  id,
  error: {
    code,
    message: expect.any(String),
    data: expect.objectContaining({ type: expect.any(String), request_id: expect.any(String) }),
  },
});
/** A method that is not there has nothing more to say than that. */
const unknown = (id: unknown) => ({ jsonrpc: '2.0', id, error: expect.objectContaining({ code: -32601 }) });
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/**
 * The examples of the JSON-RPC 2.0 specification, section 7, with methods of ours; and what it leaves to be wondered
 * about.
 */
const CASES: [string, string | Uint8Array, unknown][] = [
  ['call with named parameters', call({ id: 3, ...known }), ok(3)],
  ['call with positional parameters, which no method here takes', call({ id: 1, params: ['a'] }), error(1, -32602)],
  ['a notification', call(known), undefined],
  ['a notification of a method that is not there', '{"jsonrpc": "2.0", "method": "foobar"}', undefined],
  ['call of a method that is not there', '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', unknown('1')],
  ['call with invalid JSON', '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', error(null, -32700)],
  ['call with an invalid request object', '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', error(null, -32600)],
  [
    'batch, invalid JSON',
    '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method"]',
    error(null, -32700),
  ],
  ['an empty array', '[]', error(null, -32600)],
  ['an invalid batch, but not empty', '[1]', [error(null, -32600)]],
  ['an invalid batch', '[1,2,3]', [error(null, -32600), error(null, -32600), error(null, -32600)]],
  [
    'a batch',
    `[${call({ id: '1', ...known })},${call(known)},${call({ id: '2', params: { agent_id: 'a' } })},{"foo": "boo"},` +
      `{"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},${call({ id: '9', method: 'tools/list' })}]`,
    [
      ok('1'),
      ok('2'),
      error(null, -32600),
      unknown('5'),
      { jsonrpc: '2.0', id: '9', result: { tools: expect.any(Array) } },
    ],
  ],
  ['a batch of notifications', `[${call(known)},${call(known)}]`, undefined],

  ['an id of null', call({ id: null, ...known }), ok(null)],
  ['an id of text', call({ id: '☃ "', ...known }), ok('☃ "')],
  ['an empty id', call({ id: '', ...known }), ok('')],
  ['a negative id', call({ id: -7, ...known }), ok(-7)],
  ['a fractional id', call({ id: 1.5, ...known }), ok(1.5)],
  ['an id that is a boolean', call({ id: true, ...known }), error(null, -32600)],
  ['an id that is an object', call({ id: {}, ...known }), error(null, -32600)],
  ['another version', call({ id: 1, jsonrpc: '1.0', ...known }), error(1, -32600)],
  ['no version', '{"method":"get_credit_balance","params":{"agent_id":"a"},"id":1}', error(1, -32600)],
  ['params of null', call({ id: 1, params: null }), error(1, -32600)],
  ['params of text', call({ id: 1, params: 'a' }), error(1, -32600)],
  ['a missing parameter', call({ id: 1 }), error(1, -32602)],
  ['a parameter of another type', call({ id: 1, params: { agent_id: 7 } }), error(1, -32602)],
  ['a parameter that is not there', call({ id: 1, params: { agent_id: 'a', agent: 'b' } }), error(1, -32602)],
  ['a method of the protocol itself', call({ id: 1, method: 'rpc.discover' }), unknown(1)],
  ['a method that every object has', call({ id: 1, method: 'constructor' }), unknown(1)],
  ['an empty method', call({ id: 1, method: '' }), unknown(1)],
  ['members it does not know', call({ id: 1, extra: true, ...known }), ok(1)],
  [
    'duplicate keys, of which the last counts',
    '{"jsonrpc":"2.0","id":1,"method":"x","params":{"agent_id":"b","agent_id":"a"},"id":2,"method":"get_credit_balance"}',
    ok(2),
  ],
  ['an answer', '{"jsonrpc":"2.0","id":1,"result":{}}', error(1, -32600)],
  ['a batch in a batch', `[[${call({ id: 1, ...known })}]]`, [error(null, -32600)]],
  [
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    error(null, -32700),
  ],
  [
    'a lone surrogate',
    '{"jsonrpc":"2.0","id":1,"method":"get_credit_balance","params":{"agent_id":"\\ud800"}}',
    error(1, -32602),
  ],
  ['NUL', '{"jsonrpc":"2.0","id":1,"method":"get_credit_balance","params":{"agent_id":"\\u0000"}}', error(1, -32602)],
  [
    'a prototype',
    '{"jsonrpc":"2.0","id":1,"method":"get_credit_balance","params":{"__proto__":{"agent_id":"a"}}}',
    error(1, -32602),
  ],
  [
    'deep params',
    `{"jsonrpc":"2.0","id":1,"method":"get_credit_balance","params":{"agent_id":${nested(900)}}}`,
    error(1, -32602),
  ],
  [
    'params too deep to be parsed',
    `{"jsonrpc":"2.0","id":1,"method":"get_credit_balance","params":{"agent_id":${nested(100_000)}}}`,
    error(null, -32600),
  ],
  ['deep nothing', nested(900), [error(null, -32600)]],
  ['nothing too deep to be parsed', nested(100_000), error(null, -32600)],
  ['more opened than closed', '['.repeat(900), error(null, -32700)],
  [
    'a number past the range',
    '{"jsonrpc":"2.0","id":1,"method":"get_credit_balance","params":{"agent_id":1e999}}',
    error(1, -32602),
  ],
  [
    'a batch of more than 100',
    `[${Array(101)
      .fill(call({ id: 1, ...known }))
      .join(',')}]`,
    error(null, -32600),
  ],
];

describe.each(['/rpc', '/stream', 'stdio'])('JSON-RPC 2.0 on %s', (name) => {
  const ask = async (payload: string | Uint8Array): Promise<any[]> =>
    (await transports[name]!.ask(payload)).map((text) => JSON.parse(text));

  it.each(CASES)('%s', async (_, payload, expected) => {
    const answers = await ask(payload);
    if (expected === undefined) return expect(answers).toEqual([]);
    expect(answers).toEqual([expected]);
  });

  it('gives a number past 2^53 back as it came', async () => {
    const [text] = await transports[name]!.ask(call(known).replace('{', '{"id":9007199254740993,'));
    expect(text).toMatch(/^\{"jsonrpc":"2\.0","id":9007199254740993,"result":/);
  });

  it('goes on after all of that', async () => {
    expect(await ask(call({ id: 'still', ...known }))).toEqual([ok('still')]);
  });
});
