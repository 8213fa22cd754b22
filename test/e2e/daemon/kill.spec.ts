import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { type AcmeDaemon, startAcmeDaemon } from '../../kit/acme-daemon.js';
import { startApi } from '../../kit/app.js';

const KILLS = 10;
const WRITERS = 16;
const STREAMS = 4;

let acme: AcmeDaemon;
beforeAll(async () => {
  acme = await startAcmeDaemon();
}, 60_000);
afterAll(() => acme.close());

/** What was acknowledged, and what was sent at all. */
const acknowledged = { facts: new Map<string, string>(), edges: new Set<string>(), appends: [] as Append[] };
const sent = { facts: new Set<string>(), edges: new Set<string>(), events: new Set<string>() };
interface Append {
  stream: string;
  event: string;
  seq: number;
  receipt: string;
}

async function storeFact(name: string): Promise<void> {
  sent.facts.add(name);
  const answer = await acme.attempt('PUT', '/v1/facts', { entity: `e:${name}`, key: 'k', value: `value of ${name}` });
  if (answer?.status === 201) acknowledged.facts.set(name, answer.body.fact_id);
}

async function storeEdge(name: string): Promise<void> {
  sent.edges.add(name);
  const edge = { from_kind: 'n', from_id: name, edge_kind: 'to', to_kind: 'n', to_id: 'hub' };
  const answer = await acme.attempt('PUT', '/v1/edges', { ...edge, payload: { name } });
  if (answer?.status === 200) acknowledged.edges.add(name);
}

/** The next seq that each writer expects; the answer to a wrong one reports the actual one. */
const expectedSeqs = new Map<string, number>();
async function append(name: string, stream: string, writer: string): Promise<void> {
  sent.events.add(name);
  const expected = expectedSeqs.get(writer + stream) ?? 0;
  const answer = await acme.attempt('POST', '/v1/append', {
    tenant_id: 'acme',
    stream_type: 'drill',
    stream_id: stream,
    expected_next_seq: expected,
    events: [{ type: 'written', payload: {}, event_id: name }],
  });
  if (answer?.status === 200) {
    const { first_seq: seq, next_seq, receipt_id: receipt } = answer.body;
    acknowledged.appends.push({ stream, event: name, seq, receipt });
    expectedSeqs.set(writer + stream, next_seq);
  } else if (answer?.status === 409) {
    expectedSeqs.set(writer + stream, Number(answer.body.actual_next_seq));
  }
}

let isOver = false;
async function write(writer: number): Promise<void> {
  for (let n = 0; !isOver; n += 1) {
    const name = `${writer}-${n}`;
    const kind = n % 3;
    if (kind === 0) await storeFact(name);
    else if (kind === 1) await storeEdge(name);
    else await append(name, `s${n % STREAMS}`, String(writer));
    if (acme.daemon.hasEnded) await sleep(20);
  }
}

it('keeps every acknowledged write exactly once through repeated kill -9 under 16 writers', async () => {
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = acknowledged.facts.size + acknowledged.edges.size + acknowledged.appends.length;
    // Killed in the middle of work, however fast that goes: a few hundred writes later, at a different place each time.
    while (acknowledged.facts.size + acknowledged.edges.size + acknowledged.appends.length < before + 60 + kill * 7)
      await sleep(5);
    await acme.daemon.stop('SIGKILL');
    await acme.daemon.start();
  }
  isOver = true;
  await Promise.all(writers);

  await checkFacts();
  await checkEdges();
  await checkStreams();
  await checkEvidence();
}, 600_000);

async function checkFacts(): Promise<void> {
  const rows = await acme.database.query<{ entity: string; fact_id: string; version: number }>(
    `select entity, fact_id, version from fact where tenant_id = 'acme' and key = 'k'`,
  );
  const stored = new Map(rows.map(({ entity, fact_id }) => [entity.slice(2), fact_id]));
  expect(rows.every(({ version }) => version === 1)).toBe(true);
  expect(rows.length).toBe(stored.size);
  expect([...stored.keys()].filter((name) => !sent.facts.has(name))).toEqual([]);
  expect([...acknowledged.facts].filter(([name, id]) => stored.get(name) !== id)).toEqual([]);
  const { body } = (await acme.attempt('GET', '/v1/facts/list?limit=1'))!;
  expect([body.total_visible, body.total_nondeleted]).toEqual([rows.length, rows.length]);
}

async function checkEdges(): Promise<void> {
  const found = new Set<string>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body }: any = await acme.attempt('GET', `/v1/edges?to_id=hub&limit=200${cursor && `&cursor=${cursor}`}`);
    for (const { from_id } of body.edges) {
      expect([from_id, found.has(from_id)]).toEqual([from_id, false]);
      found.add(from_id);
    }
    cursor = body.next_cursor;
  }
  expect([...acknowledged.edges].filter((name) => !found.has(name))).toEqual([]);
  expect([...found].filter((name) => !sent.edges.has(name))).toEqual([]);
}

async function checkStreams(): Promise<void> {
  const rows = await acme.database.query<{ stream_id: string; seq: string; name: string }>(
    `select stream_id, seq, event_id as name from stream_event where tenant_id = 'acme' order by stream_id, seq`,
  );
  const byStream = Map.groupBy(rows, ({ stream_id }) => stream_id);
  for (const events of byStream.values()) expect(events.map(({ seq }) => Number(seq))).toEqual(events.map((_, n) => n));
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  expect(rows.filter(({ name }) => !sent.events.has(name))).toEqual([]);
  const lost = acknowledged.appends.filter(({ stream, seq, event }) => byStream.get(stream)?.[seq]?.name !== event);
  expect(lost).toEqual([]);
  // No two writers were given one place.
  const places = acknowledged.appends.map(({ stream, seq }) => `${stream} ${seq}`);
  expect(new Set(places).size).toBe(places.length);
}

async function checkEvidence(): Promise<void> {
  for (const { receipt } of [acknowledged.appends[0]!, acknowledged.appends.at(-1)!]) {
    const { body } = (await acme.attempt('GET', `/v1/receipts/${receipt}/verification?tenant_id=acme`))!;
    expect(body).toMatchObject({ signature_valid: true, error_code: 'OK' });
  }
  const known = await acme.database.query<{ receipt_id: string }>(
    `select receipt_id from receipt where tenant_id = 'acme'`,
  );
  const receipts = new Set(known.map(({ receipt_id }) => receipt_id));
  expect(acknowledged.appends.filter(({ receipt }) => !receipts.has(receipt))).toEqual([]);
  const api = await startApi({ database: acme.database });
  const audit = api.app.get(EvidenceAudit, { strict: false });
  expect(await audit.verifyChain()).toMatchObject({ ok: true, faults: [] });
  expect(await audit.verifyLog()).toMatchObject({ ok: true, faults: [] });
  await api.close();
}
