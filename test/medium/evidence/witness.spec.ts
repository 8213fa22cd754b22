import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Advice } from '../../../src/cli/doctor/examine.js';
import { witnessesCheck } from '../../../src/cli/doctor/outside-checks.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import { askWitness } from '../../../src/common/evidence-log/witness-client.js';
import type { Query } from '../../../src/common/tenancy/cross-tenant.js';
import { parseCheckpoint } from '../../../src/evidence/checkpoint.js';
import { findCosignature, parseWitnessKey } from '../../../src/evidence/cosignature.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { emptyRoot } from '../../../src/evidence/merkle.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { signCheckpoint } from '../../kit/signed-forms.js';
import { startWitness, type TestWitness } from '../../kit/witness.js';
import { givenDocument, retrieve } from '../proofs/given.js';

const LIMITS = { bytes: 2 ** 26, ratio: 1000, ratioFloor: 2 ** 26, entries: 64 };

let first: TestWitness;
let second: TestWitness;
let api: TestApi;
beforeAll(async () => {
  [first, second] = await Promise.all([startWitness(), startWitness('witness.example/w2')]);
  api = await startApi({ env: { SVC_WITNESSES: `${first.setting}, ${second.setting}` } });
  const jwks = (await (await fetch(`${api.url}/.well-known/jwks.json`)).json()) as { log: { verifier_keys: string[] } };
  for (const witness of [first, second]) witness.logKey = jwks.log.verifier_keys[0];
  await givenDocument(api.tenant, { text: 'Every member of staff has 25 days of annual leave.' });
  // Nothing of it is to come once the tests begin.
  const completed = `select from receipt where kind = 'ingest.completed'`;
  while ((await api.database.query(completed)).length === 0) await sleep(50);
});
afterAll(async () => {
  await api.close();
  await Promise.all([first.close(), second.close()]);
});

const checkpoint = async (): Promise<string> => (await fetch(`${api.url}/tlog/checkpoint`)).text();
const isSignedBy = (text: string, witness: TestWitness): boolean =>
  findCosignature(parseCheckpoint(text).note, parseWitnessKey(witness.verifierKey)) !== undefined;

const WAIT = { timeout: 30_000, interval: 50 };
const metrics = async (): Promise<string> => (await fetch(`${api.url}/metrics`)).text();
/** What svc doctor says of the witnesses. */
const examine = (): Promise<string> => {
  const ask: Query = async <Row>(sql: string, values?: unknown[]) => api.database.query<Row & object>(sql, values);
  return witnessesCheck(loadSettings({ SVC_WITNESSES: `${first.setting}, ${second.setting}` }), ask).run();
};

/** The newest checkpoint, once these and no others have signed it. */
async function cosigned(...by: TestWitness[]): Promise<string> {
  for (let tries = 0; tries < 1200; tries++) {
    const text = await checkpoint();
    if ([first, second].every((witness) => isSignedBy(text, witness) === by.includes(witness))) return text;
    await sleep(50);
  }
  throw new Error(`no such checkpoint: ${first.answered.join()} and ${second.answered.join()}`);
}

/** Makes the log grow, and returns when it has a new head. */
async function grow(): Promise<void> {
  const { size } = parseCheckpoint(await checkpoint());
  await retrieve(api.tenant, 'annual leave', { lane: 'audit' });
  while (parseCheckpoint(await checkpoint()).size === size) await sleep(20);
}

async function pack(query = ''): Promise<Uint8Array> {
  const [ingest] = await api.database.query<{ receipt_id: string }>('select receipt_id from ingest limit 1');
  const path = `/v1/proof/receipts/${ingest!.receipt_id}/proofpack${query}`;
  const { tenantId, apiKey } = api.tenant;
  const response = await fetch(api.url + path, { headers: { 'x-tenant-id': tenantId, 'x-api-key': apiKey } });
  return new Uint8Array(await response.arrayBuffer());
}

describe('witnesses of the log', () => {
  it('sign its checkpoints, each line once, and /tlog/checkpoint serves the newest with them', async () => {
    let text: string;
    do {
      text = await cosigned(first, second);
      await sleep(2_500);
      // What came before may reach the log only now.
    } while (parseCheckpoint(await checkpoint()).size > parseCheckpoint(text).size);
    expect(parseCheckpoint(text).note.signatures).toHaveLength(3);
    expect(await checkpoint()).toBe(text);
    expect(first.seen?.size).toBe(parseCheckpoint(text).size);
  });

  it('have their lines in a pack, which a changed line fails for who knows the witness', async () => {
    await cosigned(first, second);
    const witnesses = [first, second].map(({ verifierKey }) => parseWitnessKey(verifierKey));
    const freshness = { witnesses, origin: parseCheckpoint(await checkpoint()).origin };
    const file = await pack();
    const { ok, checks } = await verifyBundle(file, LIMITS, { freshness });
    expect([ok, checks.at(-1)?.detail]).toEqual([true, expect.stringContaining('witness.example/w2 saw it 20')]);
    const unrelated = { witnesses: [{ ...witnesses[0]!, name: 'unrelated.example' }] };
    expect((await verifyBundle(file, LIMITS, { freshness: unrelated })).ok).toBe(false);
  });

  it('have the checkpoint of a pack signed also while the log has grown past it', async () => {
    const size = parseCheckpoint(await cosigned(first, second)).size;
    first.fault = second.fault = 500;
    await grow();
    expect(parseCheckpoint(await checkpoint()).note.signatures).toHaveLength(1);
    const { checkpoint: carried } = JSON.parse(Buffer.from(await pack()).toString()) as { checkpoint: string };
    expect([parseCheckpoint(carried).size, isSignedBy(carried, first)]).toEqual([size, true]);
    first.fault = second.fault = undefined;
    await cosigned(first, second);
  });

  it('are asked from the size that they have seen, when the server does not know it any more', async () => {
    await cosigned(first, second);
    await api.database.query('update log_witness set size = 0');
    first.answered.length = 0;
    await grow();
    const { size } = parseCheckpoint(await cosigned(first, second));
    expect([first.answered.slice(0, 2), first.seen?.size]).toEqual([[409, 200], size]);
  });

  it.each([
    ['says nothing', 'silence' as const],
    ['fails', 503],
  ])('keep nothing waiting when one %s: the other signs', async (_, fault) => {
    second.fault = fault;
    await grow();
    await cosigned(first);
    await vi.waitFor(() => expect(examine()).rejects.toThrow(/^witness.example\/w2: /), WAIT);
    await expect(examine()).rejects.toBeInstanceOf(Advice);
    expect(await metrics()).toMatch(/svc_witness_failures_total\{witness="witness.example\/w2"\} [1-9]/);
    second.fault = undefined;
    await cosigned(first, second);
    await vi.waitFor(() => expect(examine()).resolves.toMatch(/w1: signed 20.*w2: signed 20/), WAIT);
    expect(await metrics()).toMatch(/svc_witness_signed_seconds\{witness="witness.example\/w2"\} 1[\d.e+]{8,}/);
  });

  it('do not sign a log that was rewritten', async () => {
    await cosigned(first, second);
    first.seen = { ...first.seen!, root: Buffer.alloc(32, 1) };
    first.answered.length = 0;
    await grow();
    await cosigned(second);
    // They are asked side by side; of the head that it has seen another root is a conflict (409).
    while (!first.answered.includes(422)) await sleep(50);
    expect(first.answered).not.toContain(200);
    const refusal = 'witness.example/w1: it answered 422: the log does not extend what it has seen';
    // The failure is noted after the answer.
    await vi.waitFor(() => expect(examine()).rejects.toThrow(refusal), WAIT);
    await expect(examine()).rejects.not.toBeInstanceOf(Advice);
  });
});

describe('a log that was rolled back in the database', () => {
  it('gets no cosignature, and fails whoever kept a checkpoint', async () => {
    const superuser = new Client({ connectionString: api.database.superuserUrl });
    await superuser.connect();
    const tables = ['log_head', 'log_leaf', 'log_tile'];
    for (const table of tables) await superuser.query(`create temp table kept_${table} as table ${table}`);
    await grow();
    const kept = await cosigned(second);
    const back = tables.map((table) => `delete from ${table}; insert into ${table} select * from kept_${table};`);
    await superuser.query(`begin; ${back.join(' ')} delete from log_pending; commit`);
    await superuser.end();
    second.answered.length = 0;
    while (parseCheckpoint(await checkpoint()).size <= parseCheckpoint(kept).size) await grow();
    while (second.answered.length < 2) await sleep(50);
    expect(new Set(second.answered)).toEqual(new Set([422]));
    expect(isSignedBy(await checkpoint(), second)).toBe(false);
    // Until then packs carry the cosigned head, and fail `inclusion`: the tiles are not those that it was made of.
    await api.database.query(`update log_cosigned_head set cosigned_at = now() - interval '1 hour'`);
    const encoded = Buffer.from(kept).toString('base64url');
    const freshness = { checkpoint: parseCheckpoint(kept) };
    const failed = async (file: Uint8Array) =>
      (await verifyBundle(file, LIMITS, { freshness })).checks.filter(({ ok }) => !ok).map(({ name }) => name);
    expect(await failed(await pack())).toEqual(['freshness']);
    expect(await failed(await pack(`?earlier_checkpoint=${encoded}`))).toEqual(['consistency']);
  });
});

describe('the answer of a witness', () => {
  const text = signCheckpoint('log.example', { size: 0, root: emptyRoot() }, SigningKey.generate());
  const line = (name: string) => `\u2014 ${name} ${Buffer.alloc(76).toString('base64')}\n`;

  it.each([
    ['no note', { body: 'nonsense' }, /^a note is text/],
    ['a line of somebody else', { body: line('other.example') }, /^its answer has no cosignature that holds/],
    ['a line that does not hold', { body: line('witness.example/w1') }, /^its answer has no cosignature that holds/],
    ['too long', { body: 'x'.repeat(100_000) }, /^its answer is longer than/],
    ['403', 403, /^it answered 403: it knows the log/],
    ['404', 404, /^it answered 404: it does not know the log/],
    ['409 without a size', 409, /^it answered 409: it has seen another checkpoint/],
    ['422', 422, /^it answered 422: the log does not extend/],
    ['500', 500, /^it answered 500$/],
  ])('is refused when it is %s', async (_, fault, reason) => {
    const witness = await startWitness();
    witness.fault = fault;
    const [, url = ''] = witness.setting.split('@');
    const remote = { ...parseWitnessKey(witness.verifierKey), verifierKey: witness.verifierKey, url };
    await expect(askWitness(remote, { checkpoint: text, from: 0, proof: [] })).rejects.toThrow(reason);
    await witness.close();
  });
});

describe('SVC_WITNESSES', () => {
  it.each([
    ['x', /expected <verifier key>@https/],
    ['x@https://w.example', /not a note verifier key/],
  ])('refuses %s', (value, message) => {
    expect(() => loadSettings({ NODE_ENV: 'test', SVC_WITNESSES: value })).toThrow(message);
  });

  it('refuses two witnesses of one name', () => {
    expect(() => loadSettings({ NODE_ENV: 'test', SVC_WITNESSES: `${first.setting},${first.setting}` })).toThrow(
      /same name/,
    );
  });
});
