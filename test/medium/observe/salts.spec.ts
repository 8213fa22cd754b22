import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/evidence/canonical-json.js';
import { openReceipt } from '../../../src/evidence/receipt.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_OBSERVE: '1' } });
});
afterAll(() => daemon.close());

const TENANT = 'acme';
const SCOPES = 'admin:read admin:write receipts:read exports:read';
const call = (method: string, path: string, body?: unknown, scopes = SCOPES, passport = 'ada') =>
  daemon.as({ scopes, tenant: TENANT, passport })(method, path, body);
const AT = { label: 'Look', actor: 'agent:a', kind: 'tool', ts_start: '2026-11-23T09:00:00.000Z' };
const open = async (session: string, more: object = {}): Promise<any> => {
  const { status, body } = await call('POST', `/v1/observe/sessions/${session}/steps`, { ...AT, ...more });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.node;
};
const digestIn = async (receiptId: string): Promise<unknown> => {
  const [row] = await daemon.database.query<{ cose: Buffer }>('select cose from receipt where receipt_id = $1', [
    receiptId,
  ]);
  return openReceipt(row!.cose).payload.body['digest'];
};
const digestOf = (value: object): string => `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
const membersOf = ({ node_id, session_id, parent_id, label, actor, kind, risk_class, ...more }: any): object => ({
  ...{ node_id, session_id, parent_id, label, actor, kind, risk_class, private: more.private },
  ...{ ts_start: more.ts_start, inputs: more.inputs, enrich_ref: more.enrich_ref },
});

describe('the digest of a step', () => {
  it('takes in a salt of the step, and is recomputed by whoever is shown it', async () => {
    const node = await open('salted');
    expect(node.salt).toMatch(/^[0-9a-f]{32}$/);
    const digest = await digestIn(node.open_receipt);
    expect(digest).toBe(digestOf({ ...membersOf(node), salt: node.salt }));
    expect(digest).not.toBe(digestOf(membersOf(node)));
    expect((await open('salted')).salt).not.toBe(node.salt);
  });

  it('is of the same step when that is opened again', async () => {
    const first = await open('again', { node_id: 'n' });
    expect(await open('again', { node_id: 'n' })).toEqual(first);
    const other = await call('POST', '/v1/observe/sessions/again/steps', { ...AT, node_id: 'n', label: 'Other' });
    expect(other.status).toBe(409);
  });

  it('has no salt for readers from whom the step is withheld', async () => {
    await open('private', { private: true });
    const path = '/v1/observe/sessions/private/audit';
    const shown = (await call('GET', path)).body.steps[0];
    const withheld = (await call('GET', path, undefined, 'facts:read', 'eve')).body.steps[0];
    expect([shown.withheld, shown.salt === null, withheld.withheld, withheld.salt]).toEqual([false, false, true, null]);
  });

  it('of a step from before there were salts still verifies, and a changed salt does not', async () => {
    const verdict = async () =>
      (await call('GET', '/v1/observe/sessions/before/audit/conformance')).body.findings
        .filter(({ rule }: any) => rule === 'receipts_verify')
        .map(({ detail }: any) => detail);
    const node = await open('before', { node_id: 'n' });
    expect(await verdict()).toEqual([]);
    const change = (salt: string) =>
      daemon.database.query(`update observe_step set salt = ${salt} where session_id = 'before'`);
    await change(`decode('${'00'.repeat(16)}', 'hex')`);
    expect(await verdict()).toEqual([expect.stringContaining('not what the receipt of its opening says')]);
    await change('null');
    expect(await verdict()).toHaveLength(1);
    await change(`decode('${node.salt}', 'hex')`);
    expect(await verdict()).toEqual([]);
  });

  it('confirms no guess once the content is erased', async () => {
    const node = await open('erased', { label: 'Call Ludwig' });
    const other = await open('erased', { label: 'Call a taxi' });
    const erased = await call('POST', '/v1/facts/erase', { texts: ['Ludwig'] });
    expect([erased.status, erased.body.erasure?.state]).toEqual([200, 'removed']);
    const { steps } = (await call('GET', '/v1/observe/sessions/erased/audit')).body;
    const shown = new Map(steps.map(({ node_id, label, salt }: any) => [node_id, [label, salt]]));
    expect(shown.get(node.node_id)).toEqual(['[erased]', null]);
    expect(shown.get(other.node_id)).toEqual(['Call a taxi', other.salt]);
  });
});
