import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/evidence/canonical-json.js';
import { decodeExportJson, type ExportFile } from '../../../src/evidence/export/export-format.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { startReceiptsDaemon, type ReceiptsDaemon } from '../receipts/receipts-daemon.js';

const LIMITS = { bytes: 2 ** 26, ratio: 200, ratioFloor: 2 ** 20, entries: 100 };
const SECRET = 'a secret of forty characters for the tests';

let daemon: ReceiptsDaemon;
let token: string;
beforeAll(async () => {
  daemon = await startReceiptsDaemon({
    env: { SVCD_AUTH_MODE: 'jwt_hs256', SVCD_JWT_HS256_SECRET: SECRET },
    tenants: ['acme'],
  });
  token = await new SignJWT({
    scope: 'admin:write exports:read receipts:read',
    tenant_id: 'acme',
    passport_id: 'alice',
  })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(Buffer.from(SECRET));
  const append = (events: object[]) =>
    daemon.as({ bearer: token })('POST', '/v1/append', {
      tenant_id: 'acme',
      stream_type: 'ledger',
      stream_id: 'may/2026',
      events,
    });
  const first = await append([
    { type: 'opened', payload: { owner: 'alice', secret: 'tulip' } },
    { type: 'booked', payload: { amount: 12.5, lines: [] } },
  ]);
  const second = await append([{ type: 'booked', payload: {} }]);
  for (const { status, body } of [first, second]) expect([status, body.detail]).toEqual([200, undefined]);
});
afterAll(() => daemon.close());

const fetchExport = async (query = '') => {
  const path = `/v1/replay/exports/streams/ledger/${encodeURIComponent('may/2026')}?tenant_id=acme${query}`;
  const response = await fetch(daemon.url + path, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { bytes, file: decodeExportJson(bytes, JSON.parse(Buffer.from(bytes).toString())) };
};
const verdictOf = async (bytes: Uint8Array) => {
  const { ok, checks } = await verifyBundle(bytes, LIMITS);
  return { ok, contents: checks.find(({ name }) => name === 'contents')?.detail };
};
const seqsOf = ({ disclosures }: ExportFile) =>
  disclosures.filter(({ path }) => path.length === 3 && path[2] === 'seq').map(({ value }) => value);

describe('an export of a stream', () => {
  it('holds its events and the receipts of their appends, which cover them', async () => {
    const { bytes, file } = await fetchExport();
    expect(await verdictOf(bytes)).toEqual({ ok: true, contents: '0 texts, 3 events; 2 appends cover theirs' });
    expect(file.manifest).toMatchObject({ subject: 'stream', complete: true, auth_modes: ['jwt_hs256'] });
    expect(file.manifest.items.map(({ type }) => type)).toEqual(['receipt', 'receipt', 'event', 'event', 'event']);
    expect(file.disclosures.filter(({ path }) => path.length === 1).map(({ path, value }) => [path[0], value])).toEqual(
      [
        ['subject_id', 'ledger/may/2026'],
        ['stream_type', 'ledger'],
        ['stream_id', 'may/2026'],
        ['from_seq', 0],
        ['to_seq', null],
        ['next_seq', 3],
      ],
    );
  });

  it('verifies whatever its payloads call their members, under the longest names a stream can have', async () => {
    const [stream_type, stream_id] = ['t'.repeat(120), 'ü'.repeat(512)];
    const call = daemon.as({ bearer: token });
    const payload = { auth_mode: 'password', stream: 'x', seq: 0, prev: 'y', body: { first_seq: 0, count: 1 } };
    await call('POST', '/v1/append', {
      ...{ tenant_id: 'acme', stream_type, stream_id },
      events: [{ type: 'login', payload }],
    });
    for (const path of [`streams/${stream_type}/${stream_id}`, `actions/${stream_type}%2F${stream_id}`]) {
      const { status, body } = await call('GET', `/v1/replay/exports/${path}?tenant_id=acme`);
      expect([path, status, body.detail]).toEqual([path, 200, undefined]);
      const { checks } = await verifyBundle(Buffer.from(canonicalJson(body)), LIMITS);
      expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    }
  });

  it('hides payloads and keeps all that proves them', async () => {
    const full = await fetchExport();
    const { bytes, file } = await fetchExport('&redaction=items.*.payload.secret');
    expect(await verdictOf(bytes)).toEqual({ ok: true, contents: '0 texts, 3 events; 2 appends cover theirs' });
    expect([file.manifest, file.signature]).toEqual([full.file.manifest, full.file.signature]);
    expect(Buffer.from(bytes).toString()).not.toContain('tulip');
    const shown = file.disclosures.map(({ path }) => path.slice(2).join('.'));
    expect(shown.filter((name) => name === 'cose')).toHaveLength(2);
    expect(shown.filter((name) => name === 'salt')).toHaveLength(2);
    expect(shown.filter((name) => name === 'payload_digest')).toHaveLength(3);
  });

  it('hides what an event is, with every digest over it', async () => {
    const { bytes, file } = await fetchExport('&redaction=items.*.type');
    expect((await verdictOf(bytes)).ok).toBe(true);
    const shown = new Set(file.disclosures.map(({ path }) => path.slice(2).join('.')));
    for (const name of ['type', 'digest', 'cose', 'payload.body.events_digest', 'receipt_id'])
      expect([name, shown.has(name)]).toEqual([name, false]);
    expect(shown.has('payload_digest')).toBe(true);
  });

  it.each([
    ['&from_seq=1', [1, 2], true],
    ['&from_seq=1&to_seq=1', [1], true],
    ['&to_seq=18446744073709551615', [0, 1, 2], true],
    ['&from_seq=18446744073709551615', [], true],
    ['&from_seq=2&to_seq=1', [], true],
    ['&max_events=2', [0, 1], false],
    ['&max_events=2&to_seq=1', [0, 1], true],
    ['&max_events=4294967295', [0, 1, 2], true],
  ])('%s', async (query, seqs, complete) => {
    const { bytes, file } = await fetchExport(query);
    expect([(await verdictOf(bytes)).ok, seqsOf(file), file.manifest.complete]).toEqual([true, seqs, complete]);
  });

  it.each(['from_seq=-1', 'to_seq=x', 'max_events=0', 'max_events=4294967296', 'from_seq=1.5'])(
    'refuses %s',
    async (query) => {
      const path = `/v1/replay/exports/streams/ledger/x?tenant_id=acme&${query}`;
      const { status, body } = await daemon.as({ bearer: token })('GET', path);
      expect([status, body.issues[0].path]).toEqual([400, `query.${query.split('=')[0]}`]);
    },
  );

  it('holds as many events as fit, and refuses a stream of which none fits', async () => {
    const lists = (count: number) => Array.from({ length: count }, () => Array.from({ length: 1000 }, (_, n) => n));
    const append = (stream_id: string, ...payloads: object[]) =>
      daemon.as({ bearer: token })('POST', '/v1/append', {
        ...{ tenant_id: 'acme', stream_type: 'large', stream_id },
        events: payloads.map((payload) => ({ type: 'filled', payload })),
      });
    await append('many', { lists: lists(20) }, { lists: lists(20) }, { lists: lists(20) });
    await append('one', { lists: lists(46) });
    const call = daemon.as({ bearer: token });
    const many = await call('GET', '/v1/replay/exports/streams/large/many?tenant_id=acme');
    expect([many.status, many.body.manifest.complete, many.body.manifest.items.length]).toEqual([200, false, 3]);
    expect((await verdictOf(Buffer.from(many.text))).ok).toBe(true);
    const one = await call('GET', '/v1/replay/exports/streams/large/one?tenant_id=acme');
    expect([one.status, one.body.code]).toEqual([400, 'EXPORT_TOO_LARGE']);
  });

  it('shows an event that was changed in the database by failing', async () => {
    await daemon.tamper(`update stream_event set type = 'closed' where seq = 1 and stream_type = 'ledger'`);
    const { bytes } = await fetchExport();
    const { checks } = await verifyBundle(bytes, LIMITS);
    expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['contents']);
    await daemon.tamper(`update stream_event set type = 'booked' where seq = 1 and stream_type = 'ledger'`);
    expect((await verdictOf((await fetchExport()).bytes)).ok).toBe(true);
  });
});
