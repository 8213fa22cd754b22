import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { parsePlatformKeys } from '../../../src/modules/memory/envelopes/platform-keys.rules.js';
import type { Answer } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { jcs, Platform, type EnvelopeParts } from './envelope-maker.js';

const MIB = 1024 * 1024;
const HASH = `blake3:${'ab'.repeat(32)}`;
const platform = new Platform();
const named = new Platform('platform-2026');
const expired = new Platform('expired');
const unregistered = new Platform();
const directory = mkdtempSync(join(tmpdir(), 'svc-keys-'));
const file = join(directory, 'platform.jwks');

function register(...keys: object[]): void {
  writeFileSync(`${file}.new`, JSON.stringify({ keys }));
  renameSync(`${file}.new`, file);
}
const registerAll = () =>
  register(platform.jwk(), named.jwk({ use: 'sig', alg: 'EdDSA' }), expired.jwk({ exp: 1_700_000_000 }), {
    kty: 'RSA',
  });

let daemon: TestDaemon;
beforeAll(async () => {
  registerAll();
  daemon = await startDaemon({ env: { SVCD_PLATFORM_KEYS_FILE: file } });
});
afterAll(async () => {
  await daemon.close();
  rmSync(directory, { recursive: true, force: true });
});

const post = (envelope: unknown): Promise<Answer> => daemon.call('POST', '/v1/result-envelope/import', envelope);
const importing = async (parts: EnvelopeParts, by = platform): Promise<Answer> => post(await by.sign(parts));
const PAYLOAD = {
  schema: 'research/v2',
  purpose_tag: 'research',
  summary: { words: ['é', '\u{1f600}', '\u2028'], score: 1 / 7e21, small: -0.0000001 },
  facts: [
    { entity: 'user:ada', key: 'city', value: 'London' },
    { entity: 'user:ada', key: 'city', value: 'Paris', confidence: 0.5 },
  ],
  entities: [
    { kind: 'person', id: 'ada', payload: { name: 'Ada' } },
    { kind: 'note', id: 'g', payload: null },
  ],
  edges: [{ from_kind: 'person', from_id: 'ada', edge_kind: 'wrote', to_kind: 'note', to_id: 'g' }],
};
const stored = async (tenant: string, job: string) => {
  const [row] = await daemon.database.query<Record<string, number>>(
    `select (select count(*)::int from fact where tenant_id = $1) as facts, (select count(*)::int from graph_entity where tenant_id = $1) as entities,
       (select count(*)::int from graph_edge where tenant_id = $1) as edges,
       (select count(*)::int from result_envelope where tenant_id = $1 and job_id = $2) as envelopes,
       (select count(*)::int from receipt where tenant_id = $1 and subject = $2) as receipts`,
    [tenant, job],
  );
  return row;
};

describe('POST /v1/result-envelope/import', () => {
  it('stores what a signed envelope holds, and publishes an event', async () => {
    const companion_artifacts = [
      { name: 'report.pdf', blake3_content_hash: HASH, media_type: 'application/pdf', size_bytes: 12 },
      { name: 'log', blake3_content_hash: HASH },
    ];
    const more = { companion_artifacts, passport_fpr: 'fpr:1', credit_spend_receipt: 'receipt-9', tenant_id: 'whole' };
    const { status, body } = await importing({ job_id: 'whole', payload: PAYLOAD, ...more });
    expect([status, body]).toEqual([
      200,
      {
        status: 'imported',
        reason: 'signature_verified',
        imported_at: expect.stringMatching(/Z$/),
        at: expect.any(Number),
        job_id: 'whole',
        tenant_id: 'whole',
        artefact_id: expect.stringMatching(/^art_[0-9a-f]{32}$/),
        blake3_content_hash: expect.stringMatching(/^blake3:/),
        size_bytes: Buffer.byteLength(jcs(PAYLOAD)),
        key_id: platform.keyId,
        schema: 'research/v2',
        purpose_tag: 'research',
        counts: { facts: 2, entities: 2, edges: 1, companion_artifacts: 2 },
        entities: 2,
        edges: 1,
        companion_artifacts,
        credit_spend_receipt: 'receipt-9',
        sealed: true,
        receipt_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
    const tenant = daemon.as({ scopes: 'query:read facts:read', tenant: 'whole' });
    const facts = await tenant('GET', `/v1/facts/entity/${encodeURIComponent('user:ada')}`);
    expect(facts.body.facts).toMatchObject([{ key: 'city', value: 'Paris', confidence: 0.5, version: 2 }]);
    expect((await tenant('GET', '/v1/entities/note/g')).body.entity).toMatchObject({ payload: null, version: 1 });
    expect((await tenant('GET', '/v1/edges')).body).toMatchObject({ count: 1, edges: [{ edge_kind: 'wrote' }] });
    const { payload } = await daemon.app
      .get(Tenancy)
      .run('whole', () => daemon.app.get(EvidenceService).read(body.receipt_id as string));
    expect(payload).toMatchObject({
      kind: 'result_envelope.imported',
      subject: 'whole',
      body: { counts: body.counts, blake3_content_hash: body.blake3_content_hash, key_id: platform.keyId },
    });
    const [kept] = await daemon.database.query<{ payload: Buffer }>(
      `select payload from result_envelope where job_id = 'whole'`,
    );
    expect(kept!.payload.toString()).toBe(jcs(PAYLOAD));
  });

  it('takes an envelope that holds nothing but its payload', async () => {
    const { body } = await importing({ job_id: 'bare', payload: {} }, named);
    expect(body).toMatchObject({
      key_id: 'platform-2026',
      schema: 'svc.result',
      purpose_tag: null,
      credit_spend_receipt: null,
      companion_artifacts: [],
      counts: { facts: 0, entities: 0, edges: 0, companion_artifacts: 0 },
      size_bytes: 2,
    });
  });

  it('imports a job once, and says what the first import made', async () => {
    const first = await importing({ job_id: 'once', payload: { facts: PAYLOAD.facts } });
    const { status, body } = await importing({ job_id: 'once', payload: { entities: PAYLOAD.entities } });
    expect([status, body]).toEqual([
      409,
      expect.objectContaining({
        code: 'ENVELOPE_IMPORTED',
        reason: 'already_imported',
        artefact_id: first.body.artefact_id,
        imported_at: first.body.imported_at,
        receipt_id: first.body.receipt_id,
      }),
    ]);
    expect((await importing({ job_id: 'once', payload: {}, tenant_id: 'another' })).status).toBe(200);
  });

  it('lets exactly one of sixteen imports of a job through', async () => {
    const envelope = await platform.sign({ job_id: 'race', payload: PAYLOAD, tenant_id: 'race' });
    const answers = await Promise.all(Array.from({ length: 16 }, () => post(envelope)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(15).fill(409)]);
    expect(await stored('race', 'race')).toEqual({ facts: 2, entities: 2, edges: 1, envelopes: 1, receipts: 1 });
  });

  it('takes imports of many jobs at once that write the same things', async () => {
    const envelopes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => platform.sign({ job_id: `job-${n}`, payload: PAYLOAD, tenant_id: 'crowd' })),
    );
    expect((await Promise.all(envelopes.map(post))).map(({ status }) => status)).toEqual(Array<number>(8).fill(200));
  });

  it.each([
    [
      'by a key nobody registered',
      'unknown_key',
      () => unregistered.sign({ job_id: 'no', payload: {}, tenant_id: 'no' }),
    ],
    [
      'by a key that has expired',
      'key_not_valid_now',
      () => expired.sign({ job_id: 'no', payload: {}, tenant_id: 'no' }),
    ],
    [
      'under the id of another key',
      'signature_invalid',
      async () => {
        const envelope = await unregistered.sign({ job_id: 'no', payload: {}, tenant_id: 'no' });
        return {
          ...envelope,
          platform_signature: String(envelope.platform_signature).replace(unregistered.keyId, platform.keyId),
        };
      },
    ],
    [
      'for another job',
      'signature_invalid',
      async () => ({ ...(await platform.sign({ job_id: 'yes', payload: {}, tenant_id: 'no' })), job_id: 'no' }),
    ],
    [
      'for another tenant',
      'signature_invalid',
      async () => ({ ...(await platform.sign({ job_id: 'no', payload: {}, tenant_id: 'yes' })), tenant_id: 'no' }),
    ],
    [
      'without the companion that was added',
      'signature_invalid',
      async () => ({
        ...(await platform.sign({ job_id: 'no', payload: {}, tenant_id: 'no' })),
        companion_artifacts: [{ name: 'x', blake3_content_hash: HASH }],
      }),
    ],
    [
      'in another form',
      'malformed_signature',
      async () => ({
        ...(await platform.sign({ job_id: 'no', payload: {}, tenant_id: 'no' })),
        platform_signature: 'nonsense',
      }),
    ],
  ])('answers 403 to what is signed %s', async (_, reason, make) => {
    const { status, body } = await post(await make());
    expect([status, body]).toEqual([403, expect.objectContaining({ code: 'ENVELOPE_NOT_VERIFIED', reason })]);
    expect(await stored('no', 'no')).toEqual({ facts: 0, entities: 0, edges: 0, envelopes: 0, receipts: 0 });
  });

  it('refuses every change of a single character of a signature', async () => {
    const envelope = await platform.sign({ job_id: 'bent', payload: {} });
    const signature = String(envelope.platform_signature);
    for (let at = 0; at < signature.length; at += 1) {
      const bent = signature.slice(0, at) + (signature[at] === 'A' ? 'B' : 'A') + signature.slice(at + 1);
      expect((await post({ ...envelope, platform_signature: bent })).status).toBe(403);
    }
    expect((await post(envelope)).status).toBe(200);
  });

  it('answers 400 to a payload that the hash is not of', async () => {
    const envelope = await platform.sign({ job_id: 'changed', payload: { n: 1 } });
    const { status, body } = await post({ ...envelope, payload: { n: 2 } });
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({
        code: 'CONTENT_HASH_MISMATCH',
        actual_content_hash: expect.stringMatching(/^blake3:/),
      }),
    ]);
  });

  it('finds the same hash whatever order and form the payload came in', async () => {
    const envelope = await platform.sign({ job_id: 'order', payload: { a: 1, b: [1, 'é'] } });
    const text = JSON.stringify(envelope).replace(
      /"payload":\{.*?\]\}/,
      '"payload":{ "b": [1.0, "\\u00e9"], "a": 1e0 }',
    );
    expect((await post(text)).status).toBe(200);
  });

  it.each([
    ['a fact without key', { facts: [{ entity: 'a', value: 'b' }] }, 'body.payload.facts[0].key'],
    [
      'a private fact',
      { facts: [{ entity: 'a', key: 'k', value: 'b', private: true }] },
      'body.payload.facts[0].private',
    ],
    ['facts that are no list', { facts: {} }, 'body.payload.facts'],
    ['a fact that is none', { facts: [1] }, 'body.payload.facts[0]'],
    ['an entity without kind', { entities: [{ id: 'a', payload: 1 }] }, 'body.payload.entities[0].kind'],
    ['an entity without payload', { entities: [{ kind: 'k', id: 'a' }] }, 'body.payload.entities[0].payload'],
    [
      'an edge without end',
      { edges: [{ from_kind: 'a', from_id: 'a', edge_kind: 'b', to_kind: 'a' }] },
      'body.payload.edges[0].to_id',
    ],
    ['too many edges', { edges: Array.from({ length: 10_001 }, () => PAYLOAD.edges[0]) }, 'body.payload.edges'],
    ['a purpose that is no text', { purpose_tag: 1 }, 'body.payload.purpose_tag'],
    ['a number that lost digits', { deep: [{ n: 2 ** 60 }] }, 'body.payload.deep[0].n'],
  ])('refuses %s in a payload, and stores nothing of it', async (_, payload, path) => {
    const parts = { job_id: 'half', payload: { ...payload }, tenant_id: 'half' };
    const whole = 'facts' in payload ? {} : { facts: PAYLOAD.facts };
    const { status, body } = await importing({ ...parts, payload: { ...whole, ...payload } });
    expect([status, body.issues?.[0]?.path]).toEqual([400, path]);
    expect(await stored('half', 'half')).toEqual({ facts: 0, entities: 0, edges: 0, envelopes: 0, receipts: 0 });
  });

  it.each([
    ['another version', { schema_version: 2 }, 'body.schema_version'],
    ['no job', { job_id: undefined }, 'body.job_id'],
    ['a job of many bytes', { job_id: '€'.repeat(400) }, 'body.job_id'],
    ['no payload', { payload: undefined }, 'body.payload'],
    ['a payload that is a list', { payload: [] }, 'body.payload'],
    ['a hash in capitals', { blake3_content_hash: `blake3:${'AB'.repeat(32)}` }, 'body.blake3_content_hash'],
    ['no signature', { platform_signature: undefined }, 'body.platform_signature'],
    [
      'a companion without hash',
      { companion_artifacts: [{ name: 'a' }] },
      'body.companion_artifacts[0].blake3_content_hash',
    ],
    [
      'a companion twice',
      { companion_artifacts: [1, 2].map(() => ({ name: 'a', blake3_content_hash: HASH })) },
      'body.companion_artifacts[1].name',
    ],
    ['an unknown member', { nonsense: true }, 'body.nonsense'],
  ])('refuses %s with 400 and names it', async (_, members, path) => {
    const { status, body } = await post({ ...(await platform.sign({ job_id: 'form', payload: {} })), ...members });
    expect([status, body.issues?.[0]?.path]).toEqual([400, path]);
  });

  it('takes bodies up to 64 MiB, and no byte more', async () => {
    const envelope = JSON.stringify(await platform.sign({ job_id: 'big', payload: { text: 'x'.repeat(20 * MIB) } }));
    expect((await post(envelope.padEnd(64 * MIB, ' '))).body).toMatchObject({ status: 'imported' });
    expect((await post(envelope.padEnd(64 * MIB + 1, ' '))).status).toBe(413);
  });

  it('stores thousands of each at once, as often as they are named', async () => {
    const numbers = Array.from({ length: 2_000 }, (_, n) => n);
    const payload = {
      facts: numbers.map((n) => ({ entity: `e${n}`, key: 'k', value: `v${n}` })),
      entities: [...numbers, 7].map((n, at) => ({ kind: 'thing', id: `t${n}`, payload: { at } })),
      edges: numbers.map((n) => ({
        from_kind: 'thing',
        from_id: `t${n}`,
        edge_kind: 'next',
        to_kind: 'thing',
        to_id: `t${n + 1}`,
      })),
    };
    const { body } = await importing({ job_id: 'many', payload, tenant_id: 'many' });
    expect(body).toMatchObject({ counts: { facts: 2_000, entities: 2_001, edges: 2_000 } });
    const reader = daemon.as({ scopes: 'facts:read query:read', tenant: 'many' });
    const seventh = await reader('GET', '/v1/entities/thing/t7');
    expect(seventh.body.entity).toMatchObject({ version: 2, payload: { at: 2_000 } });
    const kinds = await reader('GET', '/v1/kinds');
    expect(kinds.body.kinds).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'thing', entity_count: 2_000 }),
        expect.objectContaining({ kind: 'next', edge_count: 2_000 }),
      ]),
    );
    expect(await stored('many', 'many')).toMatchObject({ facts: 2_000, entities: 2_000, edges: 2_000 });
  });

  it('takes facts:write alone, and only for tenants that the credential covers', async () => {
    const path = '/v1/result-envelope/import';
    const reader = await daemon.as({ scopes: 'admin:write facts:read' })('POST', path, {});
    expect([reader.status, reader.body.missingAnyScope]).toEqual([403, ['facts:write']]);
    const bound = daemon.as({ scopes: 'facts:write', tenant: 'mine' });
    const other = await bound('POST', path, await platform.sign({ job_id: 'bound', payload: {}, tenant_id: 'yours' }));
    expect([other.status, other.body.code]).toEqual([403, 'TENANT_MISMATCH']);
    const own = await bound('POST', path, await platform.sign({ job_id: 'bound', payload: {}, tenant_id: 'mine' }));
    expect(own.status).toBe(200);
  });
});

describe('the keys of the platform', () => {
  it('are read again when their file has changed, and none is trusted while it cannot be read', async () => {
    const newcomer = new Platform();
    const envelope = (job_id: string, by: Platform) => by.sign({ job_id, payload: {} });
    expect((await post(await envelope('new-1', newcomer))).body.reason).toBe('unknown_key');
    register(newcomer.jwk());
    expect((await post(await envelope('new-2', newcomer))).status).toBe(200);
    expect((await post(await envelope('old-1', platform))).body.reason).toBe('unknown_key');
    writeFileSync(file, '{"keys":');
    const broken = await post(await envelope('new-3', newcomer));
    expect([broken.status, broken.headers.get('retry-after')]).toEqual([503, '5']);
    expect(broken.body.detail).toContain('SVCD_PLATFORM_KEYS_FILE');
    registerAll();
    expect((await post(await envelope('old-2', platform))).status).toBe(200);
  });

  it('must be there when the daemon starts', async () => {
    const env = { SVCD_PLATFORM_KEYS_FILE: join(directory, 'none') };
    await expect(startDaemon({ env })).rejects.toThrow(/SVCD_PLATFORM_KEYS_FILE=.*none cannot be used/);
  });

  it('are none unless a file is named', async () => {
    const without = await startDaemon({ database: daemon.database });
    try {
      const envelope = await platform.sign({ job_id: 'without', payload: {} });
      const { status, body } = await without.call('POST', '/v1/result-envelope/import', envelope);
      expect([status, body.reason, body.detail]).toEqual([
        403,
        'no_keys_registered',
        expect.stringContaining('SVCD_PLATFORM_KEYS_FILE'),
      ]);
    } finally {
      await without.close();
    }
  });

  const { x } = platform;
  it.each([
    ['nothing', '', 'not JSON'],
    ['a key alone', JSON.stringify(platform.jwk()), 'not a JWK Set'],
    ['no key', '{"keys":[]}', 'no Ed25519 key'],
    ['other keys', '{"keys":[{"kty":"RSA"}]}', 'no Ed25519 key'],
    ['text', '{"keys":["a"]}', 'keys[0] is not an object'],
    ['a short key', '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}', 'keys[0].x'],
    ['a private key', JSON.stringify({ keys: [platform.jwk({ d: x })] }), 'private key'],
    ['a kid twice', JSON.stringify({ keys: [platform.jwk(), platform.jwk()] }), 'kid of another'],
    ['a kid that is no text', JSON.stringify({ keys: [platform.jwk({ kid: 7 })] }), 'keys[0].kid'],
    ['a time that is no number', JSON.stringify({ keys: [platform.jwk({ exp: 'soon' })] }), 'keys[0].exp'],
  ])('are not read from a file with %s', (_, text, message) => {
    expect(() => parsePlatformKeys(text)).toThrow(message);
  });
});

describe('docs/formats/result-envelope.md', () => {
  it('has an example that is right', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/formats/result-envelope.md'), 'utf8');
    const value = (name: string) => new RegExp(`- ${name}[^:]*: \`(.*)\``).exec(page)![1]!;
    expect(value('canonical payload')).toBe(jcs(JSON.parse(value('canonical payload'))));
  });
});
