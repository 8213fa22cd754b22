import { describe, expect, it } from 'vitest';
import { functionOf, isStrict, readCalls } from './openai-calls.rules.js';

const chat = (id: string, given?: unknown) => ({ id, function: { name: 'f', arguments: given } });

describe('calls', () => {
  it('come as a message, as one call of either form, or as name and arguments', () => {
    expect(readCalls({ tool_calls: [chat('a', '{"x":1}')] })).toEqual([
      { id: 'a', form: 'chat', name: 'f', given: { x: 1 } },
    ]);
    expect(readCalls({ id: 'fc', call_id: 'c', name: 'f', arguments: '{}' })).toEqual([
      { id: 'c', form: 'responses', name: 'f', given: {} },
    ]);
    expect(readCalls({ name: 'f', arguments: { x: 1 } })).toEqual([
      { id: 'call_0', form: 'chat', name: 'f', given: { x: 1 } },
    ]);
  });

  it.each([undefined, null, ''])('may have no arguments: %j', (given) => {
    expect(readCalls(chat('a', given))).toMatchObject([{ given: {} }]);
  });

  it.each(['{', '[1]', '7', 'null', [1], 7])('have a fault that the model can mend: %j', (given) => {
    const [read] = readCalls(chat('a', given)) as { fault?: string }[];
    expect(read).toMatchObject({ fault: expect.stringContaining('JSON') });
    expect(read).not.toHaveProperty('given');
  });

  it('are refused where the program sent none', () => {
    expect(readCalls({})).toMatchObject({ member: 'body' });
    expect(readCalls({ tool_calls: [chat('a'), {}] })).toMatchObject({ member: 'body.tool_calls[1]' });
    expect(readCalls({ tool_calls: [chat('a'), chat('a')] })).toMatchObject({ member: 'body.tool_calls[1].id' });
    expect(readCalls({ tool_calls: [chat('a')], name: 'f' })).toMatchObject({ member: 'body.tool_calls' });
  });
});

describe('a function', () => {
  const closed = {
    type: 'object',
    properties: { x: { type: 'string' } },
    required: ['x'],
    additionalProperties: false,
  };

  it('is strict where its schema is closed and asks for everything', () => {
    expect(isStrict(closed)).toBe(true);
    expect(isStrict({ ...closed, required: [] })).toBe(false);
    expect(isStrict({ ...closed, additionalProperties: true })).toBe(false);
    expect(isStrict({ ...closed, properties: { x: { type: 'string', pattern: 'a' } } })).toBe(false);
    expect(isStrict({ ...closed, properties: { x: { type: 'array', items: closed } } })).toBe(true);
    expect(isStrict({ ...closed, properties: { x: { type: 'array', items: { type: 'object' } } } })).toBe(false);
  });

  it('is described in both forms', () => {
    const tool = {
      name: 'f',
      description: 'd',
      parameters: { type: 'object' },
      isRead: true,
      scopes: { kind: 'any', scopes: [] },
    } as const;
    const own = { name: 'f', description: 'd', parameters: { type: 'object' } };
    expect(functionOf(tool, 'chat')).toEqual({ type: 'function', function: own });
    expect(functionOf(tool, 'responses')).toEqual({ type: 'function', strict: false, ...own });
  });
});
