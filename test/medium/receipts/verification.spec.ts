import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startReceiptsDaemon, type ReceiptsDaemon } from './receipts-daemon.js';

let daemon: ReceiptsDaemon;
let tenant = '';
let ids: string[];
let round = 0;
beforeAll(async () => {
  daemon = await startReceiptsDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  tenant = `tenant-${round++}`;
  ids = await daemon.record(tenant, {}, {}, {});
});

const verification = async (id: string) => {
  const { status, body } = await daemon.as({ scopes: 'receipts:read', tenant })(
    'GET',
    `/v1/receipts/${id}/verification?tenant_id=${tenant}`,
  );
  expect(status).toBe(200);
  return body;
};

describe('GET /v1/receipts/{receiptId}/verification', () => {
  it('finds an intact receipt intact: signature, chain and log (B-2.3-3)', async () => {
    const report = await verification(ids[1]!);
    expect(report).toEqual({
      tenant_id: tenant,
      receipt_id: ids[1],
      family: 'execution',
      verified: true,
      signature_valid: true,
      error_code: 'OK',
      auth_mode: 'jwt_hs256',
      actor_authenticated: true,
      record: { ok: true, error_code: 'OK', detail: expect.any(String) },
      signature: { ok: true, error_code: 'OK', detail: expect.any(String), kid: expect.any(String) },
      chain: { ok: true, error_code: 'OK', detail: 'follows seq 1 of stream main, named by seq 3' },
      log: {
        ok: true,
        error_code: 'OK',
        detail: expect.any(String),
        leaf_index: expect.any(Number),
        tree_size: expect.any(Number),
      },
    });
    expect((await verification(ids[0]!)).chain.detail).toBe('first of stream main, named by seq 2');
    expect((await verification(ids[2]!)).chain.detail).toBe('follows seq 2 of stream main, which ends with it');
  });

  it('checks a retrieval receipt by its digest and the log, and says that there is no signature', async () => {
    const report = await verification(await daemon.recordRetrieval(tenant));
    expect(report).toMatchObject({ family: 'retrieval', verified: true, signature_valid: null, error_code: 'OK' });
    expect([report.signature.ok, report.chain.ok, report.log.ok]).toEqual([null, null, true]);
    expect(report.signature.detail).toContain('unsigned');
  });

  it.each(['off', 'dev_scopes'])('says of a receipt under %s that nobody authenticated its actor', async (authMode) => {
    const [id] = await daemon.record(tenant, { authMode });
    const report = await verification(id!);
    expect(report).toMatchObject({ verified: true, auth_mode: authMode, actor_authenticated: false });
  });

  /** One byte, from the end, of a column. */
  const flip = (table: string, column: string, fromEnd: number): string =>
    `update ${table} set ${column} = set_byte(${column}, length(${column}) - ${fromEnd}, get_byte(${column}, length(${column}) - ${fromEnd}) # 1)`;

  it('a changed byte of the signature', async () => {
    await daemon.tamper(`${flip('receipt', 'cose', 1)} where receipt_id = $1`, [ids[1]]);
    const report = await verification(ids[1]!);
    expect(report).toMatchObject({ verified: false, signature_valid: false, error_code: 'SIGNATURE_INVALID' });
    expect(report.actor_authenticated).toBe(false);
    // The log holds the message as it was; the chain is over payloads, which are whole.
    expect([report.log.error_code, report.chain.ok]).toEqual(['NOT_LOGGED', true]);
  });

  it('a changed byte of the payload, seen at its neighbours too', async () => {
    await daemon.tamper(
      `update receipt set cose = overlay(cose placing 'subject-9'::bytea from position('subject-1'::bytea in cose)) where receipt_id = $1`,
      [ids[1]],
    );
    const report = await verification(ids[1]!);
    expect(report).toMatchObject({ verified: false, signature_valid: false, error_code: 'RECORD_MISMATCH' });
    expect(report.record.detail).toContain('receipt_id');
    expect((await verification(ids[2]!)).chain).toMatchObject({ ok: false, error_code: 'CHAIN_BROKEN' });
    // What comes after the first still names it.
    expect((await verification(ids[0]!)).chain.ok).toBe(true);
  });

  it('bytes that are no receipt any more', async () => {
    await daemon.tamper(`update receipt set cose = 'gone' where receipt_id = $1`, [ids[1]]);
    const report = await verification(ids[1]!);
    expect(report).toMatchObject({ verified: false, signature_valid: false, error_code: 'RECORD_MALFORMED' });
    const call = daemon.as({ scopes: 'receipts:read', tenant });
    const read = await call('GET', `/v1/receipts/${ids[1]}?tenant_id=${tenant}`);
    expect([read.status, read.body.code]).toEqual([500, 'RECEIPT_DAMAGED']);
    const { body } = await call('GET', '/v1/receipts/list');
    expect(body.rows.map((row: any) => row.auth_mode)).toEqual(['jwt_hs256', null, 'jwt_hs256']);
  });

  it.each([
    ['subject', `'other'`],
    ['actor', `'passport:mallory'`],
    ['kind', `'other.kind'`],
    ['occurred_at', `occurred_at - interval '1 day'`],
    ['prev_hash', `'\\x00'::bytea`],
    ['session', `'another'`],
  ])('a row whose %s differs from what was signed', async (column, value) => {
    await daemon.tamper(`update receipt set ${column} = ${value} where receipt_id = $1`, [ids[1]]);
    const report = await verification(ids[1]!);
    expect(report).toMatchObject({ verified: false, signature_valid: true, error_code: 'RECORD_MISMATCH' });
    expect(report.record.detail).toContain(column);
  });

  it.each([
    ['actor', `'passport:mallory'`],
    ['occurred_at', `occurred_at - interval '1 day'`],
    ['session', `'another'`],
  ])('a row of a retrieval whose %s differs from the record', async (column, value) => {
    const id = await daemon.recordRetrieval(tenant);
    await daemon.tamper(`update retrieval_receipt set ${column} = ${value} where tenant_id = $1`, [tenant]);
    const report = await verification(id);
    expect(report).toMatchObject({ verified: false, error_code: 'RECORD_MISMATCH' });
    expect(report.record.detail).toBe(`the row differs from the record: ${column}`);
  });

  it('a link that was taken out, seen from both sides', async () => {
    await daemon.tamper('delete from receipt where receipt_id = $1', [ids[1]]);
    expect((await verification(ids[0]!)).chain.detail).toContain('nothing follows this one');
    expect((await verification(ids[2]!)).chain.detail).toContain('is gone');
    expect((await verification(ids[2]!)).error_code).toBe('CHAIN_BROKEN');
  });

  it('an end that was cut off', async () => {
    await daemon.tamper('delete from receipt where receipt_id = $1', [ids[2]]);
    expect((await verification(ids[1]!)).error_code).toBe('CHAIN_BROKEN');
  });

  it('a key that is not known', async () => {
    await daemon.tamper(`update signing_key set public_key = set_byte(public_key, 0, get_byte(public_key, 0) # 1)`);
    const report = await verification(ids[1]!);
    expect([report.signature.error_code, report.log.error_code]).toEqual(['KEY_UNKNOWN', 'LOG_INVALID']);
    await daemon.tamper(`update signing_key set public_key = set_byte(public_key, 0, get_byte(public_key, 0) # 1)`);
    expect((await verification(ids[1]!)).error_code).toBe('OK');
  });

  it('a key that did not sign then', async () => {
    await daemon.tamper(`update signing_key set not_before = now() + interval '1 day'`);
    expect((await verification(ids[1]!)).error_code).toBe('KEY_NOT_VALID_THEN');
    await daemon.tamper(`update signing_key set not_before = now() - interval '1 day'`);
    expect((await verification(ids[1]!)).error_code).toBe('OK');
  });

  it('rows of the log that were changed', async () => {
    const { log } = await verification(ids[1]!);
    const leaf = `update log_leaf set record_digest = set_byte(record_digest, 0, get_byte(record_digest, 0) # 1) where leaf_index = $1`;
    await daemon.tamper(leaf, [log.leaf_index]);
    expect((await verification(ids[1]!)).error_code).toBe('NOT_LOGGED');
    await daemon.tamper(leaf, [log.leaf_index]);
    await daemon.tamper(flip('log_tile', 'hashes', 1));
    expect((await verification(ids[1]!)).error_code).toBe('LOG_INVALID');
    await daemon.tamper(flip('log_tile', 'hashes', 1));
    await daemon.tamper(`update log_head set checkpoint = replace(checkpoint, E'\\n', E'\\n1')`);
    expect((await verification(ids[1]!)).error_code).toBe('LOG_INVALID');
  });
});
