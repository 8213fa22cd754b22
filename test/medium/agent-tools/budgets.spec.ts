import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pick, seededRandom } from '../../../bench/random.js';
import { COUNT_AS_TEXT } from '../../../src/common/tokens/tokenizer.js';
import { readId } from '../../../src/rpc/agent/agent-ids.rules.js';
import { TOOL_SETS } from '../../../src/common/contract/tool-sets.js';
import { startAgent, type CallTool, type TestAgent } from '../../kit/agent.js';

/** The same for the same seed: what fails is found again. */
const SEED = 20;
const CALLS = 1000;
const AT_ONCE = 4;
const random = seededRandom(SEED);
const between = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
const chance = (share: number): boolean => random() < share;

const WORDS = 'light tower keeper storm harbour signal lamp fog reef ship anchor tide chart bell rock'.split(' ');
const SCRIPTS = [
  '灯台の光は遠くまで届く',
  '등대는 항구를 지킨다',
  'маяк стоит на скале',
  'المنارة على الصخرة',
  '🗼🌊⚓🚢👩‍👩‍👧‍👦🏳️‍🌈',
];
const PIECES: readonly (() => string)[] = [
  () => pick(random, WORDS),
  () => pick(random, WORDS),
  () => `${pick(random, WORDS)}.\n\n`,
  () => pick(random, SCRIPTS),
  () => pick(random, WORDS).repeat(between(1, 40)),
  () => `"${'\\'.repeat(between(1, 9))}\t${'\u0001'}"`,
  () => Array.from({ length: between(20, 400) }, () => String.fromCharCode(between(97, 122))).join(''),
];
const textOf = (pieces: number): string =>
  Array.from({ length: pieces }, () => pick(random, PIECES)())
    .join(' ')
    .trim() || 'light';
const lengthOf = (): number => pick(random, [3, 10, 40, 200]);

let agent: TestAgent;
const ids: string[] = [];
beforeAll(async () => {
  agent = await startAgent();
  for (let i = 0; i < 16; i++)
    await agent.ingest(`doc/${i} ü`, textOf(between(5, 400)), { title: textOf(6).slice(0, 300) });
  const passages = (
    await agent.call('search', { query: 'light tower', in: 'documents', limit: 30, token_budget: 90_000 })
  ).data.results as { id: string; document: string }[];
  ids.push(...passages.flatMap(({ id, document }) => [id, document]));
  for (let i = 0; i < 40; i++) {
    const sources = chance(0.4) ? [pick(random, ids)] : [];
    const key = `${pick(random, WORDS)}${i}`;
    const given = { entity: `place:${pick(random, WORDS)}`, key, value: textOf(lengthOf()), sources };
    ids.push((await agent.call('remember', given)).data.id as string);
  }
  for (let i = 0; i < 6; i++) {
    const cites = [...new Set(passages.slice(0, between(1, 9)).map(({ id }) => id))];
    const given = { text: textOf(lengthOf()), cites, watch: true, prove: 'light' };
    ids.push((await agent.call('record_answer', given)).data.id as string);
    const work = { action: 'create', text: textOf(30).slice(0, 400).toWellFormed(), project: 'tower' };
    ids.push((await agent.call('work', work)).data.work_id as string);
    const to_id = pick(random, ids);
    for (let j = 0; j < 8; j++) await agent.call('link', { from_id: pick(random, ids), relation: `r${j}`, to_id });
  }
  for (const as of ['goal', 'constraint', 'preference'])
    await agent.call('remember', { as, key: as, value: textOf(100) });
  for (let i = 0; i < 6; i++) await agent.ingest(`doc/${i} ü`, textOf(between(5, 400)), {});
}, 240_000);
afterAll(() => agent.close());

const READERS: Record<string, () => object> = {
  search: () => ({
    ...{ query: textOf(between(1, 12)).slice(0, 4000).toWellFormed(), limit: between(1, 50) },
    in: pick(random, ['all', 'documents', 'facts']),
  }),
  read: () => ({ id: pick(random, ids), around: between(0, 5), from: chance(0.2) ? between(0, 500) : 0 }),
  related: () => ({ id: pick(random, ids), hops: between(1, 3) }),
  evidence: () => ({
    id: pick(
      random,
      ids.filter((id) => /^(fact|answer):/.test(id)),
    ),
  }),
  watch: () => ({}),
  work: () => ({ action: 'list', ...(chance(0.5) ? { project: 'tower' } : {}) }),
  more_tools: () =>
    pick(random, [
      {},
      { set: pick(random, Object.keys(TOOL_SETS)) },
      { tool: 'search_facts', arguments: { top_k: between(1, 50) } },
    ]),
  whats_new: () => ({}),
  start_session: () => (chance(0.3) ? {} : { agent_id: 'default-agent' }),
};

const tokensOf = ({ text, data }: Awaited<ReturnType<CallTool>>): number =>
  countTokens(text, COUNT_AS_TEXT) + countTokens(JSON.stringify(data), COUNT_AS_TEXT);

/** Every id in the data of an answer. */
function idsIn(data: unknown): string[] {
  if (Array.isArray(data)) return data.flatMap(idsIn);
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([name, value]) =>
    typeof value === 'string' && /^(.*_)?id$|^document$/.test(name) ? [value] : idsIn(value),
  );
}
const READABLE = new Set(['passage', 'document', 'fact', 'answer', 'work']);

it(`no answer is longer than its budget, and read takes the ids of every one: ${CALLS} calls`, async () => {
  const names = Object.keys(READERS);
  const planned = Array.from({ length: CALLS }, (_, at) => {
    const name = names[at % names.length]!;
    return { name, given: { ...READERS[name]!(), token_budget: between(200, 3000) } };
  });
  const found = new Set<string>();
  const over: unknown[] = [];
  let full = 0;
  await inTurns(planned, async ({ name, given }) => {
    const answer = await agent.call(name, given);
    const tokens = tokensOf(answer);
    if (tokens > given.token_budget * 0.8) full++;
    if (answer.isError || tokens > given.token_budget)
      over.push({ name, given, tokens, text: answer.text.slice(0, 200) });
    for (const id of idsIn(answer.data)) if (READABLE.has(readId(id).kind ?? '')) found.add(id);
  });
  expect(over).toEqual([]);
  // Many had more to show than the budget held.
  expect(full).toBeGreaterThan(CALLS / 4);
  expect(found.size).toBeGreaterThan(60);
  const refused: unknown[] = [];
  await inTurns([...found], async (id) => {
    const { isError, text } = await agent.call('read', { id, token_budget: 200 });
    if (isError) refused.push({ id, text });
  });
  expect(refused).toEqual([]);
}, 240_000);

async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const turn = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, turn));
}
