import { expect, vi } from 'vitest';
import type { TestApi, TestTenant } from '../../kit/app.js';
import { ALL_SCOPES, type TestDaemon } from '../../kit/daemon.js';

export const SESSION = 'refund-4711';
const SOON = { timeout: 60_000, interval: 100 };

const FACTS: [entity: string, key: string, value: string][] = [
  ['customer:hafenwerk', 'contact', 'Mila Janssen, purchasing'],
  ['customer:hafenwerk', 'delivery_day', 'Tuesday, before noon'],
  ['customer:hafenwerk', 'payment_terms', '30 days, by invoice'],
  ['customer:nordlicht', 'contact', 'Jonas Berg, workshop'],
  ['customer:nordlicht', 'discount', '8 % from 50 wheels a month'],
  ['order:4711', 'state', 'paid'],
  ['order:4711', 'contents', '12 wheels of 28 inch, 3 of them with broken spokes'],
  ['order:4711', 'carrier', 'Kurier Nord, tracking KN-88213'],
  ['order:4712', 'state', 'in production'],
  ['policy:refunds', 'limit_without_approval', '200 EUR'],
  ['policy:refunds', 'deadline', '30 days after delivery'],
  ['policy:refunds', 'broken_goods', 'Refund in full; the customer need not send them back.'],
  ['service:billing', 'owner', 'team payments'],
  ['service:billing', 'deploys', 'Mondays to Thursdays, by pull request'],
  ['service:shop', 'runtime', 'Node.js 24 and PostgreSQL 18'],
  ['order:4711', 'state', 'refunded in part'],
];

const MAIL = `Mila works at Hafenwerk. Mila lives in Bremen. I prefer invoices as PDF.
We decided to refund broken wheels without a return.
- [ ] ask the carrier for a photo of the parcel`;

const HANDBOOK = [
  [
    'refunds',
    'Refunds',
    'A refund for broken goods is paid in full within five days. Above 200 EUR somebody of the team payments approves it. Goods that arrive broken need not be sent back; a photo is enough.',
  ],
  [
    'deliveries',
    'Deliveries',
    'Wheels leave the workshop on Mondays and Thursdays. The carrier takes a photo of each parcel. A parcel that arrives broken is reported within two days, and a refund or a new delivery is offered.',
  ],
];

const ENTITIES: [kind: string, id: string][] = [
  ...(['hafenwerk', 'nordlicht'] as const).map((id): [string, string] => ['customer', id]),
  ...(['4711', '4712', '4698'] as const).map((id): [string, string] => ['order', id]),
  ['product', 'wheel 28 inch'],
  ['carrier', 'Kurier Nord'],
  ['person', 'Mila Janssen'],
  ['policy', 'refunds'],
];
const EDGES: [from: [string, string], kind: string, to: [string, string]][] = [
  [['customer', 'hafenwerk'], 'ordered', ['order', '4711']],
  [['customer', 'hafenwerk'], 'ordered', ['order', '4698']],
  [['customer', 'nordlicht'], 'ordered', ['order', '4712']],
  [['person', 'Mila Janssen'], 'buys_for', ['customer', 'hafenwerk']],
  [['order', '4711'], 'contains', ['product', 'wheel 28 inch']],
  [['order', '4711'], 'sent_by', ['carrier', 'Kurier Nord']],
  [['order', '4711'], 'falls_under', ['policy', 'refunds']],
  [['customer', 'hafenwerk'], 'delivered_by', ['carrier', 'Kurier Nord']],
];

/** A step: id, what it is part of, label, actor, kind, begin and end in seconds. */
const STEPS: [string, string | undefined, string, string, string, number, number?][] = [
  ['run', undefined, 'Answer a refund request of Hafenwerk', 'agent:support', 'agent', 0],
  ['read', 'run', 'Read the mail', 'agent:support', 'retrieval', 1, 3],
  ['recall', 'run', 'Recall the order and the policy', 'agent:support', 'memory', 3, 9],
  ['order', 'recall', 'Facts of order 4711', 'agent:support', 'memory', 3, 5],
  ['policy', 'recall', 'Passages on refunds', 'agent:support', 'retrieval', 5, 9],
  ['decide', 'run', 'Decide on the refund', 'model:large', 'decision', 9, 21],
  ['pay', 'run', 'Pay 147 EUR back', 'agent:support', 'tool', 21, 24],
  ['write', 'run', 'Write the answer', 'model:large', 'model', 24, 38],
  ['check', 'run', 'Have it read', 'seat:jonas', 'human', 38],
];
const BEGAN = Date.parse('2026-11-23T09:00:00Z');
const at = (seconds: number): string => new Date(BEGAN + seconds * 1000).toISOString();

/** A morning of a workshop that sells wheels: what pictures of the console show. @returns a receipt of a fact */
export async function tellStory({ tenant }: TestApi, daemon: TestDaemon): Promise<string> {
  const { tenantId } = tenant;
  const by = (passport: string) => async (method: string, path: string, body?: object) => {
    const call = daemon.as({ tenant: tenantId, scopes: ALL_SCOPES, passport });
    const answer = await call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const [support, jonas] = [by('agent-support'), by('jonas')];
  await bringIn(tenant);
  await observe(support);
  for (const [kind, id] of ENTITIES)
    await jonas('PUT', `/v1/entities/${kind}/${encodeURIComponent(id)}`, { payload: { name: id } });
  for (const [[from_kind, from_id], edge_kind, [to_kind, to_id]] of EDGES)
    await jonas('PUT', '/v1/edges', { from_kind, from_id, edge_kind, to_kind, to_id });
  for (const [n, [entity, key, value]] of FACTS.entries())
    await (n % 3 ? support : jonas)('PUT', '/v1/facts', { entity, key, value });
  await support('POST', '/v1/memory/extract', { text: MAIL });
  const why = 'prints labels and books the carrier';
  await jonas('POST', '/v1/passport/mint-requests', { passport_id: 'agent-packing', by_passport: 'jonas', why });
  return vi.waitFor(async () => {
    const { rows } = await jonas('GET', '/v1/receipts/list?kind=fact.batch&limit=5');
    expect(rows.length).toBeGreaterThan(4);
    return rows.at(-1).receipt_id;
  }, SOON);
}

async function bringIn({ tenantId, call }: TestTenant): Promise<void> {
  for (const [docId, title, content] of HANDBOOK) {
    const document = { corpusId: 'handbook', docId, title, content, url: `https://handbook.example/${docId}` };
    const { body } = await call('POST', '/v1/ingest', { tenantId, ...document });
    await vi.waitFor(async () => {
      expect((await call('GET', `/v1/ingest/${body.ingestId}`)).body).toMatchObject({ status: 'completed' });
    }, SOON);
  }
}

async function observe(send: (method: string, path: string, body: object) => Promise<unknown>): Promise<void> {
  const path = `/v1/observe/sessions/${SESSION}/steps`;
  for (const [node_id, parent_id, label, actor, kind, start, end] of STEPS) {
    const text = 'Three of twelve wheels broken; photo attached.';
    await send('POST', path, {
      ...{ node_id, label, actor, kind, ts_start: at(start), private: false },
      ...(parent_id && { parent_id }),
      ...(node_id === 'decide' && { inputs: [{ kind: 'text', text }] }),
      ...(node_id === 'pay' && { risk_class: 'limited' }),
    });
    if (end) await send('PATCH', `${path}/${node_id}`, { status: 'ok', ts_end: at(end) });
  }
}
