import { createHash, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeCanonicalMap, encodeCanonical } from '../../../src/evidence/cbor.js';
import { parseCose } from '../../../src/evidence/cose.js';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { KeyRing } from '../../../src/common/evidence-log/key-ring.js';
import { startReceiptsDaemon, type ReceiptsDaemon } from './receipts-daemon.js';

let daemon: ReceiptsDaemon;
let ids: string[];
let retrieval: string;
beforeAll(async () => {
  daemon = await startReceiptsDaemon();
  ids = await daemon.record('acme', {}, {}, {});
  retrieval = await daemon.recordRetrieval('acme');
});
afterAll(() => daemon.close());

const ENVELOPE = [
  'content_type',
  'ingested_at',
  'occurred_at',
  'payload_base64',
  'payload_hash',
  'receipt_id',
  'seq',
  'tenant_id',
];
const get = (path: string, headers: Record<string, string> = {}) =>
  daemon.as({ scopes: 'receipts:read', tenant: 'acme' })('GET', `/v1/receipts/${path}`, undefined, headers);
const bytesOf = async (path: string, accept: string) => {
  const response = await fetch(`${daemon.url}/v1/receipts/${path}`, {
    headers: { 'x-svc-scopes': 'receipts:read', 'x-svc-tenant-id': 'acme', accept },
  });
  return { type: response.headers.get('content-type'), bytes: new Uint8Array(await response.arrayBuffer()) };
};

describe('GET /v1/receipts/{receiptId}', () => {
  it('answers the envelope, whose hash is that of its payload (B-2.3-1)', async () => {
    const { status, body, headers } = await get(`${ids[1]}?tenant_id=acme`);
    expect([status, Object.keys(body).sort(), headers.get('vary')]).toEqual([200, ENVELOPE, 'accept']);
    const payload = Buffer.from(body.payload_base64, 'base64');
    expect(body).toMatchObject({
      tenant_id: 'acme',
      receipt_id: ids[1],
      seq: 2,
      content_type: 'application/vnd.svc.receipt+cbor',
      payload_hash: blake3Digest(payload),
    });
    expect(decodeCanonicalMap(payload)).toMatchObject({ seq: 2, subject: 'subject-1', auth_mode: 'jwt_hs256' });
  });

  it('answers the same as raw CBOR and as COSE, by Accept (B-4.8-2)', async () => {
    const json = await get(`${ids[0]}?tenant_id=acme`, { accept: 'application/json' });
    const cbor = await bytesOf(`${ids[0]}?tenant_id=acme`, 'application/cbor');
    const cose = await bytesOf(`${ids[0]}?tenant_id=acme`, 'text/html, application/cose;q=0.9, */*;q=0.1');
    expect([cbor.type, cose.type]).toEqual(['application/cbor', 'application/cose; cose-type="cose-sign1"']);
    expect(Buffer.from(cbor.bytes).toString('base64')).toBe(json.body.payload_base64);
    expect(parseCose(cose.bytes).payload).toEqual(cbor.bytes);
    expect((await get(`${ids[0]}?tenant_id=acme`, { accept: '*/*' })).body.receipt_id).toBe(ids[0]);
  });

  it('answers 406 where nothing fits, with what it has', async () => {
    const { status, body, headers } = await get(`${ids[0]}?tenant_id=acme`, { accept: 'text/html' });
    expect([status, body.code, headers.get('vary')]).toEqual([406, 'NOT_ACCEPTABLE', 'accept']);
    expect(body.offered.slice(0, 3)).toEqual(['application/json', 'application/cbor', 'application/cose']);
    expect((await get(`${retrieval}?tenant_id=acme`, { accept: 'application/cose' })).status).toBe(406);
  });

  it('shows a retrieval receipt, whose id is the BLAKE3 of its payload (B-1-15)', async () => {
    const { body } = await get(`${retrieval}?tenant_id=acme`);
    expect(body).toMatchObject({ receipt_id: retrieval, seq: null, payload_hash: retrieval });
    expect(blake3Digest(Buffer.from(body.payload_base64, 'base64'))).toBe(retrieval);
    const { bytes } = await bytesOf(`${encodeURIComponent(retrieval)}?tenant_id=acme`, 'application/cbor');
    expect(blake3Digest(bytes)).toBe(retrieval);
  });

  it.each(['', '/signature', '/verification'])(
    'asks for the tenant, knows no other id, and shows no other tenant what it has: %s',
    async (rest) => {
      expect((await get(`${ids[0]}${rest}`)).body.issues[0].path).toBe('query.tenant_id');
      for (const id of ['00000000-0000-8000-8000-000000000000', 'nonsense', `blake3:${'0'.repeat(64)}`])
        expect([id, (await get(`${id}${rest}?tenant_id=acme`)).status]).toEqual([id, 404]);
      const umbrella = daemon.as({ scopes: 'receipts:read', tenant: 'umbrella' });
      expect((await umbrella('GET', `/v1/receipts/${ids[0]}${rest}?tenant_id=umbrella`)).status).toBe(404);
      expect((await umbrella('GET', `/v1/receipts/${ids[0]}${rest}?tenant_id=acme`)).status).toBe(403);
    },
  );
});

describe('GET /v1/receipts/{receiptId}/signature', () => {
  it('answers the same envelope with the signature event, by which the signature verifies (B-1-14, B-2.3-2)', async () => {
    const { status, body } = await get(`${ids[0]}/signature?tenant_id=acme`);
    expect([status, Object.keys(body).sort()]).toEqual([200, ENVELOPE]);
    const bytes = Buffer.from(body.payload_base64, 'base64');
    expect([body.content_type, body.payload_hash]).toEqual([
      'application/vnd.svc.receipt-signature+cbor',
      blake3Digest(bytes),
    ]);
    const event = decodeCanonicalMap(bytes) as Record<string, any>;
    const { bytes: payload } = await bytesOf(`${ids[0]}?tenant_id=acme`, 'application/cbor');
    expect(event).toMatchObject({
      algorithm: 'EdDSA',
      curve: 'Ed25519',
      receipt_id: ids[0],
      payload_hash: blake3Digest(payload),
    });
    const [known] = await daemon.app.get(KeyRing, { strict: false }).list();
    expect(event.kid).toBe(known!.jwk.kid);
    const key = { key: { ...known!.jwk }, format: 'jwk' } as const;
    const signed = (of: Uint8Array) => encodeCanonical(['Signature1', event.protected, new Uint8Array(0), of]);
    expect(verify(null, signed(payload), key, event.signature)).toBe(true);
    const other = Uint8Array.from(payload);
    other[10] = other[10]! ^ 1;
    expect(verify(null, signed(other), key, event.signature)).toBe(false);
    const raw = await bytesOf(`${ids[0]}/signature?tenant_id=acme`, 'application/cbor');
    expect(createHash('sha256').update(raw.bytes).digest()).toEqual(createHash('sha256').update(bytes).digest());
  });

  it('says that a retrieval receipt has none', async () => {
    const { status, body } = await get(`${retrieval}/signature?tenant_id=acme`);
    expect([status, body.code]).toEqual([404, 'RECEIPT_UNSIGNED']);
    expect(body.detail).toContain('no signature');
  });
});
