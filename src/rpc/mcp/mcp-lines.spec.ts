import { describe, expect, it } from 'vitest';
import { belongsToConversation, findOpening, readMessage } from './mcp-lines.js';

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const line = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });

describe('what opens a conversation of the Model Context Protocol', () => {
  it.each([
    ['the handshake', line({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } })],
    ['a look at what the server can', line({ id: 'a', method: 'server/discover', params: { _meta: ENVELOPE } })],
    ['a look without the envelope', line({ id: 'a', method: 'server/discover' })],
    ['any request with the envelope', line({ id: 2, method: 'tools/call', params: { name: 'x', _meta: ENVELOPE } })],
    [
      'with half of the envelope, which is answered with what is missing',
      line({
        id: 2,
        method: 'tools/list',
        params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
      }),
    ],
  ])('%s', (_what, text) => {
    expect(findOpening(text)).toEqual(JSON.parse(text));
  });

  it('with its slash escaped, as some serializers do', () => {
    expect(findOpening(String.raw`{"jsonrpc":"2.0","id":1,"method":"server\/discover"}`)).toMatchObject({ id: 1 });
  });

  it.each([
    ['a tool by its name', line({ id: 1, method: 'query_vault', params: { query: 'leave' } })],
    ['tools/list of plain JSON-RPC', line({ id: 1, method: 'tools/list' })],
    ['tools/call of plain JSON-RPC', line({ id: 1, method: 'tools/call', params: { name: 'query_vault' } })],
    ['an argument that says initialize', line({ id: 1, method: 'query_vault', params: { query: '"initialize"' } })],
    ['a notification of the protocol', line({ method: 'notifications/initialized' })],
    ['a ping', line({ id: 1, method: 'ping' })],
    ['a batch', `[${line({ id: 1, method: 'initialize', params: {} })}]`],
    ['the method of the handshake without its version of JSON-RPC', '{"id":1,"method":"initialize"}'],
    ['an id that the protocol does not know', line({ id: null, method: 'initialize' })],
    ['an answer', line({ id: 1, result: { method: 'server/discover' } })],
    ['no JSON', '{"jsonrpc":"2.0","method":"initialize"'],
    ['nothing', ''],
  ])('not %s', (_what, text) => {
    expect(findOpening(text)).toBeUndefined();
  });
});

describe('what belongs to a conversation that has begun', () => {
  it.each([
    ['tools/list', { id: 1, method: 'tools/list' }, true],
    ['ping', { id: 1, method: 'ping' }, true],
    ['a method of the protocol that the server does not know', { id: 1, method: 'resources/list' }, true],
    ['a notification', { method: 'notifications/cancelled', params: { requestId: 1 } }, true],
    ['an answer of the client', { id: 1, result: { action: 'accept' } }, true],
    ['an error of the client', { id: 1, error: { code: -32601, message: 'no' } }, true],
    ['a tool by its name', { id: 1, method: 'query_vault', params: { query: 'leave' } }, false],
    ['a tool by its name, with the envelope', { id: 1, method: 'query_vault', params: { _meta: ENVELOPE } }, true],
  ])('%s', (_what, message, expected) => {
    const read = readMessage(line(message));
    expect(read && belongsToConversation(read)).toBe(expected);
  });

  it.each(['[]', '1', 'null', '{"jsonrpc":"2.0","id":null,"method":"tools/call"}', '{', '{"foo":1}'])(
    'leaves %s to the dispatcher',
    (text) => {
      expect(readMessage(text)).toBeUndefined();
    },
  );
});
