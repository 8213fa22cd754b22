import { describe, expect, it } from 'vitest';
import { DUMP_FORMATS, type DumpFormat, packOfFile } from './dump-formats.js';

const read = (format: DumpFormat, dump: unknown) =>
  packOfFile(typeof dump === 'string' ? dump : JSON.stringify(dump), format);

describe('a dump of mem0', () => {
  it('becomes facts of whom they are about, with their times', () => {
    const { pack, notes } = read('mem0', {
      results: [
        {
          ...{ id: 'm-1', memory: 'Likes tea', user_id: 'ada', hash: 'x', metadata: {}, categories: ['food'] },
          ...{ created_at: '2025-01-01T00:00:00-08:00', updated_at: '2025-01-02T00:00:00-08:00' },
        },
        { id: 'm-2', memory: 'Speaks French', agent_id: 'bot', created_at: '2025-01-01T00:00:00Z', updated_at: null },
        { id: 'm-3', memory: '' },
      ],
    });
    expect(pack.facts).toEqual([
      { entity: 'user:ada', key: 'm-1', value: 'Likes tea', valid_from: '2025-01-02T08:00:00.000Z' },
      { entity: 'agent:bot', key: 'm-2', value: 'Speaks French', valid_from: '2025-01-01T00:00:00.000Z' },
    ]);
    expect(notes).toEqual(['1 entries left out: no id or no text']);
  });

  it('with its history becomes versions; a deletion ends the last', () => {
    const row = (event: string, new_memory: string | null, created_at: string) => ({
      id: event,
      memory_id: 'm',
      event,
      new_memory,
      created_at,
    });
    const { pack, notes } = read('mem0-history', [
      row('UPDATE', 'Likes coffee', '2025-02-01T00:00:00'),
      row('ADD', 'Likes tea', '2025-01-01 00:00:00'),
      row('DELETE', null, '2025-03-01T00:00:00'),
    ]);
    expect(pack.facts).toEqual([
      { entity: 'mem0:memory', key: 'm', value: 'Likes tea', valid_from: '2025-01-01T00:00:00.000Z' },
      {
        ...{ entity: 'mem0:memory', key: 'm', value: 'Likes coffee', valid_from: '2025-02-01T00:00:00.000Z' },
        valid_to: '2025-03-01T00:00:00.000Z',
      },
    ]);
    expect(notes).toEqual([expect.stringContaining('1 deletions')]);
  });
});

describe('an agent file of Letta', () => {
  it('gives the blocks of each agent, and says what it leaves out', () => {
    const { pack, notes } = read('letta', {
      agents: [{ id: 'agent-0', name: 'helper', block_ids: ['block-0'], messages: [{ role: 'user' }] }],
      blocks: [{ id: 'block-0', label: 'human', value: 'The name is Ada', limit: 5000 }],
      tools: [{ id: 'tool-0' }],
      created_at: '2025-01-01T00:00:00Z',
    });
    expect(pack.facts).toEqual([{ entity: 'agent:helper', key: 'human', value: 'The name is Ada' }]);
    expect(notes).toEqual(['1 messages of agent:helper left out', 'left out: tools']);
  });

  it('of the older form, and passages', () => {
    const old = { name: 'a', core_memory: [{ label: 'persona', value: 'Kind', created_at: '2025-01-01T00:00:00Z' }] };
    expect(read('letta', old).pack.facts).toEqual([
      { entity: 'agent:a', key: 'persona', value: 'Kind', valid_from: '2025-01-01T00:00:00.000Z' },
    ]);
    expect(read('letta', [{ id: 'p', text: 'Saw a whale' }]).pack.facts).toEqual([
      { entity: 'letta:archive', key: 'p', value: 'Saw a whale' },
    ]);
  });
});

describe.each(['zep', 'graphiti'] as const)('a graph of %s', (format) => {
  it('becomes entities, edges and facts with their validity', () => {
    const edge = { name: 'LOVES', source_node_uuid: 'n1', target_node_uuid: 'n2', created_at: '2025-01-01T00:00:00Z' };
    const { pack, notes } = read(format, {
      nodes: [
        {
          uuid: 'n1',
          name: 'Kendra',
          labels: ['Entity', 'Person'],
          summary: 'Runs',
          attributes: { age: 30 },
          created_at: '2025-01-01T00:00:00Z',
        },
        { uuid: 'n2', name: 'Adidas', labels: ['Entity'], summary: '' },
      ],
      edges: [
        {
          ...edge,
          uuid: 'e1',
          fact: 'Kendra loves Adidas',
          valid_at: '2024-01-01T00:00:00Z',
          invalid_at: '2024-06-01T00:00:00Z',
        },
        { ...edge, uuid: 'e2', fact: 'Kendra loves Adidas again' },
        { ...edge, uuid: 'e3' },
      ],
    });
    expect(pack.entities).toEqual([
      { kind: 'person', id: 'n1', payload: { name: 'Kendra', age: 30 } },
      { kind: 'node', id: 'n2', payload: { name: 'Adidas' } },
    ]);
    expect(pack.edges).toEqual([
      {
        ...{ from_kind: 'person', from_id: 'n1', edge_kind: 'LOVES', to_kind: 'node', to_id: 'n2' },
        payload: { facts: [{ uuid: 'e2', fact: 'Kendra loves Adidas again' }] },
      },
    ]);
    expect(pack.facts).toEqual([
      { entity: 'person:Kendra', key: 'summary', value: 'Runs', valid_from: '2025-01-01T00:00:00.000Z' },
      {
        ...{ entity: 'person:Kendra', key: 'LOVES:e1', value: 'Kendra loves Adidas' },
        ...{ valid_from: '2024-01-01T00:00:00.000Z', valid_to: '2024-06-01T00:00:00.000Z' },
      },
      {
        entity: 'person:Kendra',
        key: 'LOVES:e2',
        value: 'Kendra loves Adidas again',
        valid_from: '2025-01-01T00:00:00.000Z',
      },
    ]);
    expect(notes).toEqual([expect.stringContaining('1 edges left out')]);
  });
});

describe('a store of LangGraph', () => {
  it('becomes facts by namespace and key', () => {
    const item = { namespace: ['memories', 'ada'], updated_at: '2025-01-01T00:00:00+00:00' };
    const { pack } = read('langgraph', [
      { ...item, key: 'one', value: { text: 'Likes tea' } },
      { ...item, key: 'two', value: { rules: [1, 2], deep: {} } },
    ]);
    expect(pack.facts).toEqual([
      { entity: 'memories/ada', key: 'one', value: 'Likes tea', valid_from: '2025-01-01T00:00:00.000Z' },
      {
        entity: 'memories/ada',
        key: 'two',
        value: '{"rules":[1,2],"deep":{}}',
        valid_from: '2025-01-01T00:00:00.000Z',
      },
    ]);
  });
});

describe('lines of JSON', () => {
  it('are facts; of several without a time the last is taken', () => {
    const { pack, notes } = read(
      'jsonl',
      '{"entity":"a","key":"b","value":1}\n\n{"entity":"a","key":"b","value":"two"}\n',
    );
    expect(pack.facts).toEqual([{ entity: 'a', key: 'b', value: 'two' }]);
    expect(notes).toEqual([expect.stringContaining('1 values without a time')]);
  });

  it('never write a reserved name', () => {
    expect(read('jsonl', '{"entity":"__a","key":"b","value":"x"}').pack.facts).toMatchObject([
      { entity: 'imported:__a' },
    ]);
  });

  it('that are none are refused by their number', () => {
    expect(() => read('jsonl', '{"entity":"a","key":"b","value":"x"}\nnot')).toThrow('Line 2 is not a JSON object');
  });
});

it('a pack is taken as it is, also out of the answer of an export', () => {
  expect(read('pack', { schema: 'svc.pack/1' }).pack).toEqual({ schema: 'svc.pack/1' });
  expect(read('pack', { pack: { schema: 'svc.pack/1' }, pack_hash: 'x' }).pack).toEqual({ schema: 'svc.pack/1' });
});

it.each(DUMP_FORMATS)('what is not %s is refused', (format) => {
  expect(() => read(format, '7')).toThrow(`The file is not of the format ${format}`);
});
