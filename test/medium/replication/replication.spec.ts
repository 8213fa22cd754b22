import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { sendOk } from '../../kit/send-ok.js';
import { blake3Digest } from '../../../src/evidence/digest.js';

const PATH = '/v1/internal/replication/segments';
let sender: TestDaemon;
let receiver: TestDaemon;
let push: DaemonCall;
let envelopes: any[];
beforeAll(async () => {
  const env = { SVCD_FEATURE_LEGAL_HOLD: '1' };
  [sender, receiver] = [await startDaemon({ env }), await startDaemon({ env })];
  push = receiver.as({ scopes: 'replication:write' });
  for (const n of [1, 2, 3]) await ingest(n);
  const { segments } = await sendOk(sender.call, 'GET', '/v1/admin/segments?limit=200');
  expect(segments.map((one: any) => one.segment_seq)).toEqual([1, 2, 3]);
  envelopes = [];
  for (const n of [1, 2, 3]) envelopes.push(await sendOk(sender.call, 'GET', `/v1/admin/segments/${n}`));
});
afterAll(async () => {
  await sender.close();
  await receiver.close();
});

const ingest = (n: number): Promise<any> =>
  sendOk(sender.call, 'POST', '/v1/local/ingest', {
    ...{ tenant_id: 'default', corpus_id: 'notes' },
    documents: [{ doc_id: `d${n}`, title: `Note ${n}`, text: `Lamp ${n} burns colza oil.` }],
  });
const erase = (by: DaemonCall, docId: string): Promise<any> =>
  sendOk(by, 'POST', '/v1/facts/erase', { documents: [{ corpus_id: 'notes', doc_id: docId }] });

async function refusal(body: unknown, by = push) {
  const answer = await by('POST', PATH, body);
  return { status: answer.status, ...answer.body };
}

describe('segments of another node', () => {
  it('are taken by replication:write alone', async () => {
    for (const scopes of [ALL_SCOPES, 'events:write'])
      expect(await refusal(envelopes[0], receiver.as({ scopes }))).toMatchObject({
        status: 403,
        code: 'MISSING_SCOPE',
      });
  });

  it('are refused out of order, changed, or under a wrong digest, and nothing is kept then', async () => {
    expect(await refusal(envelopes[1])).toMatchObject({ status: 409, expected_seq: 1, segment_seq: 2 });
    const digest = blake3Digest('another');
    expect(await refusal({ ...envelopes[0], digest })).toMatchObject({
      status: 422,
      actual_digest: envelopes[0].digest,
    });
    const bytes = Buffer.from(envelopes[0].segment, 'base64');
    bytes[bytes.indexOf('colza')]! ^= 1;
    expect((await refusal({ ...envelopes[0], segment: bytes.toString('base64') })).status).toBe(422);
    for (const segment of ['AAAA', bytes.subarray(0, 40).toString('base64')])
      expect((await refusal({ ...envelopes[0], segment })).status).toBe(422);
    for (const broken of [{ node_id: '' }, { segment: '%' }, { digest: 'x' }, { previous_digest: undefined }])
      expect((await refusal({ ...envelopes[0], ...broken })).status).toBe(400);
    expect((await sendOk(receiver.call, 'GET', '/v1/admin/replicas')).nodes).toEqual([]);
  });

  it('are kept in their order with a receipt, once', async () => {
    const [first, again] = await Promise.all([push('POST', PATH, envelopes[0]), push('POST', PATH, envelopes[0])]);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect([first.body.duplicate, again.body.duplicate].sort()).toEqual([false, true]);
    expect(first.body.receipt_id).toBe(again.body.receipt_id);
    const wrong = { ...envelopes[1], previous_digest: blake3Digest('another') };
    expect(await refusal(wrong)).toMatchObject({ status: 409, kept_digest: envelopes[0].digest });
    for (const one of envelopes.slice(1)) await sendOk(push, 'POST', PATH, one);
    expect(await sendOk(push, 'POST', PATH, envelopes[0])).toMatchObject({ duplicate: true, next_seq: 4 });
    const receipt = `/v1/receipts/${first.body.receipt_id}/verification?tenant_id=default`;
    expect((await sendOk(receiver.call, 'GET', receipt)).verified).toBe(true);
  });

  it('can be read back as they were sent, and are counted by node', async () => {
    const { node_id } = envelopes[0];
    expect(await sendOk(receiver.call, 'GET', `/v1/admin/segments/2?node_id=${node_id}`)).toEqual(envelopes[1]);
    const { nodes } = await sendOk(receiver.call, 'GET', '/v1/admin/replicas');
    expect(nodes).toMatchObject([{ node_id, segments: 3, last_seq: 3, last_digest: envelopes[2].digest }]);
    const infra = await sendOk(receiver.call, 'GET', '/v1/console/infra/summary');
    expect(infra.replicas).toMatchObject([{ node_id, last_seq: 3 }]);
    expect((await receiver.call('GET', '/v1/admin/segments/9')).status).toBe(404);
    for (const path of ['?after=', '/'])
      expect((await receiver.call('GET', `/v1/admin/segments${path}9223372036854775808`)).status).toBe(400);
  });

  it('are seen by their tenant alone', async () => {
    const other = receiver.as({ scopes: 'admin:read facts:write', tenant: 'other' });
    await sendOk(other, 'PUT', '/v1/facts', { entity: 'e', key: 'k', value: 'v' });
    expect((await sendOk(other, 'GET', '/v1/admin/replicas')).nodes).toEqual([]);
    expect((await other('GET', `/v1/admin/segments/2?node_id=${envelopes[0].node_id}`)).status).toBe(404);
  });
});

describe('a segment that an erasure takes', () => {
  it('goes from a copy on another node too, and is not kept there again', async () => {
    const { node_id } = envelopes[0];
    await erase(receiver.call, 'd2');
    expect((await receiver.call('GET', `/v1/admin/segments/2?node_id=${node_id}`)).status).toBe(404);
    expect(await refusal(envelopes[1])).toMatchObject({ status: 409, kept_digest: envelopes[1].digest });
    // The last one as well: what comes next is number 4.
    await erase(receiver.call, 'd3');
    expect(await refusal(envelopes[2])).toMatchObject({ status: 409, kept_digest: envelopes[2].digest });
    expect(await sendOk(receiver.call, 'GET', `/v1/admin/segments/1?node_id=${node_id}`)).toEqual(envelopes[0]);
    const left = await receiver.database.query(
      `select segment_seq from replicated_segment where position('Lamp 2'::bytea in frames) > 0 or position('Lamp 3'::bytea in frames) > 0`,
    );
    expect(left).toEqual([]);
  });

  it('leaves its number and digest where it was sealed: copies go on behind it, whether they had it or not', async () => {
    await erase(sender.call, 'd2');
    await erase(sender.call, 'd3');
    // The number of one that is gone is not given again, though it was the last.
    expect((await ingest(4)).segment_seq).toBe(4);
    const { segments } = await sendOk(sender.call, 'GET', '/v1/admin/segments');
    expect(segments.map((one: any) => one.segment_seq)).toEqual([1, 4]);
    const next = await sendOk(sender.call, 'GET', '/v1/admin/segments/4');
    expect(next).toMatchObject({ previous_digest: envelopes[2].digest, erased_from: 2 });
    expect(await sendOk(push, 'POST', PATH, next)).toMatchObject({ duplicate: false, next_seq: 5 });
    const { node_id } = next;
    expect(await sendOk(receiver.call, 'GET', `/v1/admin/segments/4?node_id=${node_id}`)).toEqual(next);

    const third = await startDaemon();
    try {
      const toThird = third.as({ scopes: 'replication:write' });
      const { erased_from: _, ...silent } = next;
      await sendOk(toThird, 'POST', PATH, envelopes[0]);
      expect(await refusal(silent, toThird)).toMatchObject({ status: 409, expected_seq: 2 });
      expect(await refusal({ ...next, erased_from: 3 }, toThird)).toMatchObject({ status: 409, expected_seq: 2 });
      expect(await sendOk(toThird, 'POST', PATH, next)).toMatchObject({ duplicate: false, next_seq: 5 });
      expect(await sendOk(toThird, 'POST', PATH, next)).toMatchObject({ duplicate: true, next_seq: 5 });
    } finally {
      await third.close();
    }
  });
});
