import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { SCOPES } from '../../../src/common/contract/scopes.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { startAuthority, type SignerFiles, type TestAuthority } from '../../kit/signing-chain.js';
import { base64, bearerOf, CONTENT, GATEWAY_ENV, signRequest } from './given.js';

let authority: TestAuthority;
let signer: SignerFiles;
let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  authority = await startAuthority();
  signer = await authority.certify('P-256');
  daemon = await startDaemon({
    env: { ...GATEWAY_ENV, SVCD_PROVENANCE_TRUST_ROOTS_FILE: authority.rootFile },
    tenants: ['alfa', 'beta'],
  });
  call = daemon.as({ bearer: await bearerOf('provenance:write') });
});
afterAll(async () => {
  await daemon.close();
  await authority.close();
});

/** Waits while the gateway is at its rate. */
async function post(path: string, body: unknown, by: DaemonCall = call) {
  for (;;) {
    const answer = await by('POST', `/v1/provenance/${path}`, body);
    if (answer.status !== 429) return answer;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
/** The same with a body that is not made of a value. */
async function postText(path: string, body: string): Promise<Response> {
  const headers = { authorization: `Bearer ${await bearerOf('provenance:write')}`, 'content-type': 'application/json' };
  for (;;) {
    const answer = await fetch(`${daemon.url}/v1/provenance/${path}`, { method: 'POST', headers, body });
    if (answer.status !== 429) return answer;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
const sign = async (changed: Record<string, unknown> = {}, by: SignerFiles = signer): Promise<string> => {
  const { status, body } = await post('sign', signRequest(by, changed));
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.manifest_envelope_b64 as string;
};
const verify = async (envelope: string, content: Uint8Array = CONTENT, by: DaemonCall = call) => {
  const request = { manifest_envelope_b64: envelope, content_b64: base64(content) };
  const { status, body } = await post('verify', request, by);
  expect(status).toBe(200);
  return body;
};
const decode = (envelope: string) => JSON.parse(Buffer.from(envelope, 'base64').toString());
const statementIn = (envelope: string) =>
  JSON.parse(Buffer.from(decode(envelope).dsseEnvelope.payload, 'base64').toString());
const withStatement = (envelope: string, change: (statement: any) => void): string => {
  const bundle = decode(envelope);
  const statement = statementIn(envelope);
  change(statement);
  bundle.dsseEnvelope.payload = base64(JSON.stringify(statement));
  return base64(JSON.stringify(bundle));
};

describe('an envelope', () => {
  it.each(['P-256', 'P-384', 'Ed25519', 'RSA 2048', 'RSA-PSS 2048'] as const)('signed by %s verifies', async (kind) => {
    const by = await authority.certify(kind);
    expect(await verify(await sign({ key_id: 'ada-1' }, by))).toEqual({
      signature_valid: true,
      content_match: true,
      chain: {
        valid: true,
        trusted: true,
        subject: expect.stringMatching(/^O=Example, CN=leaf-\d+$/),
        issuer: 'CN=Intermediate',
        not_before: expect.stringMatching(/T.*Z$/),
        not_after: expect.stringMatching(/T.*Z$/),
      },
      manifest: { source: 'a.txt', lines: 1 },
      errors: [],
    });
  });

  it('states content type, manifest, chain and name of the key under the signature', async () => {
    const envelope = await sign({ content_type: 'text/plain; charset=utf-8', key_id: 'ada-1' });
    const bundle = decode(envelope);
    expect(bundle.mediaType).toBe('application/vnd.dev.sigstore.bundle.v0.3+json');
    expect(bundle.dsseEnvelope.signatures).toEqual([{ keyid: 'ada-1', sig: expect.any(String) }]);
    expect(statementIn(envelope)).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: expect.stringMatching(/\/provenance\/v1$/),
      predicate: { source: 'a.txt', lines: 1 },
      subject: [
        {
          mediaType: 'text/plain; charset=utf-8',
          digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), blake3: expect.stringMatching(/^[0-9a-f]{64}$/) },
          annotations: {
            key_id: 'ada-1',
            certificate_chain: [bundle.verificationMaterial.certificate.rawBytes, expect.any(String)],
          },
        },
      ],
    });
  });

  it('needs no manifest, and is of empty content too', async () => {
    const envelope = await sign({ content_b64: '', manifest: undefined });
    expect(await verify(envelope, Buffer.alloc(0))).toMatchObject({ manifest: {}, errors: [] });
  });

  it('is of its content alone', async () => {
    const verdict = await verify(await sign(), Buffer.from('what is signeD\n'));
    expect(verdict).toMatchObject({ signature_valid: true, content_match: false, chain: { valid: true } });
    expect(verdict.errors).toEqual([expect.stringMatching(/^content_mismatch: /)]);
  });

  it('does not hold with another manifest', async () => {
    const changed = withStatement(await sign(), ({ predicate }) => (predicate.source = 'b.txt'));
    const verdict = await verify(changed);
    expect(verdict).toMatchObject({ signature_valid: false, content_match: true, manifest: { source: 'b.txt' } });
    expect(verdict.errors).toEqual([expect.stringMatching(/^signature_invalid: /)]);
  });

  it('does not hold under the certificate of another', async () => {
    const other = await authority.certify('P-256');
    const theirs = decode(await sign({}, other));
    const bundle = decode(await sign());
    bundle.verificationMaterial = theirs.verificationMaterial;
    expect(await verify(base64(JSON.stringify(bundle)))).toMatchObject({
      signature_valid: false,
      content_match: false,
      chain: { valid: false, trusted: false },
      errors: [
        expect.stringMatching(/^statement_malformed/),
        expect.stringMatching(/^signature_invalid/),
        expect.stringMatching(/^content_mismatch/),
      ],
    });
  });

  it.each([
    ['no JSON', 'hello', 'envelope_malformed'],
    ['no bundle', '{}', 'envelope_foreign'],
    ['a list', '[1]', 'envelope_foreign'],
    ['not UTF-8', Buffer.from([0xff, 0xfe]), 'envelope_malformed'],
  ])('that is %s has a verdict too', async (_, bytes, code) => {
    expect(await verify(base64(bytes))).toEqual({
      signature_valid: false,
      content_match: false,
      chain: { valid: false, trusted: false, subject: null, issuer: null, not_before: null, not_after: null },
      manifest: null,
      errors: [expect.stringMatching(`^${code}: `)],
    });
  });

  it('of another tool is foreign', async () => {
    const envelope = await sign();
    const errorsOf = async (file: string) => (await verify(file)).errors;
    const slsa = withStatement(envelope, (one) => (one.predicateType = 'https://slsa.dev/provenance/v2'));
    expect(await errorsOf(slsa)).toEqual([expect.stringMatching(/^envelope_foreign: /)]);
    const bundle = decode(envelope);
    bundle.verificationMaterial = { publicKey: { hint: 'k' }, tlogEntries: [] };
    expect(await errorsOf(base64(JSON.stringify(bundle)))).toEqual([expect.stringMatching(/^envelope_foreign: /)]);
  });

  it('in any other spelling of its JSON is malformed', async () => {
    const envelope = await sign();
    const spaced = base64(JSON.stringify(decode(envelope), null, 1));
    expect((await verify(spaced)).errors).toEqual([expect.stringMatching(/^envelope_malformed: .*canonical/)]);
  });
});

describe('a chain', () => {
  it('of others is valid and not trusted', async () => {
    const others = await startAuthority();
    const by = await others.certify('P-256');
    expect(await verify(await sign({}, by))).toMatchObject({ chain: { valid: true, trusted: false }, errors: [] });
    await others.close();
  });

  it('may end with the leaf, whose issuer nobody showed, or go up to the root', async () => {
    const envelope = await sign({ cert_chain_pem: signer.leaf });
    expect(await verify(envelope)).toMatchObject({ chain: { valid: true, trusted: false }, errors: [] });
    const whole = await sign({ cert_chain_pem: signer.chain + authority.root });
    expect(await verify(whole)).toMatchObject({ chain: { valid: true, trusted: true }, errors: [] });
  });

  it('that ended is no longer valid', async () => {
    const envelope = await sign();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * 86_400_000 });
    const bearer = await bearerOf('provenance:write');
    const verdict = await verify(envelope, CONTENT, daemon.as({ bearer }));
    expect(verdict).toMatchObject({ signature_valid: true, chain: { valid: false, trusted: false } });
    expect(verdict.errors).toEqual([expect.stringMatching(/^chain_expired: .*leaf-/)]);
  });
  afterEach(() => void vi.useRealTimers());
});

describe('sign refuses', () => {
  const refusal = async (changed: Record<string, unknown>, by: SignerFiles = signer) => {
    const { status, body } = await post('sign', signRequest(by, changed));
    return { status, title: body.title, code: body.code, reason: body.reason, detail: body.detail };
  };
  const key = (reason: string) => ({ status: 400, code: 'SIGNING_KEY_REFUSED', reason });
  const chain = (reason: string) => ({ status: 400, code: 'CERTIFICATE_CHAIN_REFUSED', reason });

  it('the key of another certificate', async () => {
    const { key: other } = await authority.certify('P-256');
    expect(await refusal({ signing_key_pem: other })).toMatchObject(key('not_of_leaf'));
    const { key: rsa } = await authority.certify('RSA 2048');
    expect(await refusal({ signing_key_pem: rsa })).toMatchObject(key('not_of_leaf'));
  });

  it.each([
    ['RSA 1024', 'too_weak'],
    ['P-192', 'too_weak'],
    ['P-521', 'unsupported'],
  ] as const)('a key of %s: %s', async (kind, reason) => {
    expect(await refusal({}, await authority.certify(kind))).toMatchObject(key(reason));
  });

  it.each([
    ['no PEM', 'hello'],
    ['a certificate', () => signer.leaf],
    ['a public key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'],
    ['a key cut off', () => signer.key.slice(0, 100)],
  ])('%s in place of a key', async (_, pem) => {
    const sent = typeof pem === 'string' ? pem : pem();
    const found = await refusal({ signing_key_pem: sent });
    expect(found).toMatchObject(key('unreadable'));
    expect(found.detail).not.toContain(sent.slice(0, 20));
  });

  it.each([undefined, null, '', 7, ['x'], {}])('the key %j', async (value) => {
    const { status, body } = await post('sign', signRequest(signer, { signing_key_pem: value }));
    expect({ status, issues: JSON.stringify(body.errors ?? body) }).toMatchObject({
      status: 400,
      issues: expect.stringContaining('body.signing_key_pem'),
    });
  });

  it('a key of more than 64 KiB', async () => {
    const signing_key_pem = 'x'.repeat(70_000);
    expect((await post('sign', signRequest(signer, { signing_key_pem }))).status).toBe(400);
  });

  it('chains that are wrong, each by its reason', async () => {
    const bad: [Record<string, unknown>, string][] = [
      [{ cert_chain_pem: 'hello' }, 'unreadable'],
      [{ cert_chain_pem: signer.chain + signer.key }, 'unreadable'],
      [{ cert_chain_pem: signer.leaf + authority.root }, 'broken'],
      [{ cert_chain_pem: signer.leaf + signer.leaf }, 'broken'],
    ];
    for (const [changed, reason] of bad) expect(await refusal(changed)).toMatchObject(chain(reason));
    const leaves = [
      [await authority.certify('P-256', { days: [-20, -10] }), 'expired'],
      [await authority.certify('P-256', { days: [10, 20] }), 'not_yet_valid'],
      [await authority.certify('P-256', { keyUsage: 'keyAgreement' }), 'unfit'],
      [await authority.certify('P-256', { digest: 'sha1' }), 'too_weak'],
    ] as const;
    for (const [by, reason] of leaves) expect(await refusal({}, by)).toMatchObject(chain(reason));
  });

  it('a manifest whose numbers lost digits, content that is not base64, unknown members', async () => {
    const raw = JSON.stringify(signRequest(signer, { manifest: { n: 'N' } })).replace('"N"', '9007199254740993');
    const answer = await postText('sign', raw);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('body.manifest.n');
    for (const content_b64 of ['a', 'aGk', 'aGk=\n', 7, null])
      expect(await post('sign', signRequest(signer, { content_b64 }))).toMatchObject({ status: 400 });
    expect(await post('sign', signRequest(signer, { passphrase: 'x' }))).toMatchObject({ status: 400 });
  });

  it('text that is no JSON, without repeating it', async () => {
    const answer = await postText('sign', `{"signing_key_pem": -----BEGIN PRIVATE KEY-----SECRETSECRET`);
    expect([answer.status, await answer.text()]).toEqual([400, expect.not.stringContaining('SECRET')]);
  });
});

describe('the gate', () => {
  it.each(['sign', 'verify', 'verify-record'])(
    'of %s takes provenance:write or admin:write, and a token',
    async (path) => {
      const letIn: string[] = [];
      for (const scope of SCOPES) {
        const { status, body } = await post(path, {}, daemon.as({ bearer: await bearerOf(scope) }));
        if (status === 400) letIn.push(scope);
        else expect([scope, status, body.code]).toEqual([scope, 403, 'MISSING_SCOPE']);
      }
      expect(letIn).toEqual(['admin:write', 'provenance:write']);
      expect((await post(path, {}, daemon.as({}))).status).toBe(401);
    },
  );

  it.each(['off', 'dev_scopes'])(
    'is shut under SVCD_AUTH_MODE=%s, before scopes and bodies are looked at',
    async (mode) => {
      const { database } = daemon;
      const dev = await startDaemon({ env: { SVCD_AUTH_MODE: mode, SVCD_FEATURE_PROVENANCE_API: '1' }, database });
      for (const scopes of [undefined, 'provenance:write', 'facts:read'])
        expect(await dev.as({ scopes })('POST', '/v1/provenance/sign', 'no JSON {')).toMatchObject({
          status: 403,
          body: { code: 'SPOOFABLE_AUTH', auth_mode: mode },
        });
      await dev.close();
    },
  );

  it('is not there while its flag is off', async () => {
    const { database } = daemon;
    const off = await startDaemon({ env: { ...GATEWAY_ENV, SVCD_FEATURE_PROVENANCE_API: '0' }, database });
    for (const path of ['sign', 'verify', 'verify-record'])
      expect(await off.as({ bearer: 'no token' })('POST', `/v1/provenance/${path}`, 'no JSON {')).toMatchObject({
        status: 404,
        body: { code: 'FLAG_OFF' },
      });
    await off.close();
  });

  it('counts each route by itself, and nobody who lacks the scope', async () => {
    const lacking = daemon.as({ bearer: await bearerOf('facts:write') });
    const refused = await Promise.all(Array.from({ length: 30 }, () => lacking('POST', '/v1/provenance/verify', {})));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]));
    const many = await Promise.all(Array.from({ length: 60 }, () => call('POST', '/v1/provenance/verify', {})));
    const limited = many.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]!.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(many.filter(({ status }) => status === 400).length).toBeGreaterThan(0);
    expect((await post('sign', signRequest(signer))).status).toBe(200);
  });

  it('opens no tenant that the credential does not cover', async () => {
    for (const path of ['sign', 'verify', 'verify-record']) {
      const given = path === 'sign' ? signRequest(signer) : { manifest_envelope_b64: 'e30=', content_b64: '' };
      expect(await post(path, { ...given, tenant_id: 'beta' })).toMatchObject({
        status: 403,
        body: { code: 'TENANT_MISMATCH' },
      });
    }
  });
});

describe('verify-record', () => {
  it('leaves a receipt of the verdict in the tenant, and no other does', async () => {
    const envelope = await sign();
    const rows = () => daemon.database.query(`select tenant_id, kind from receipt where tenant_id = 'alfa'`);
    await verify(envelope);
    expect(await rows()).toEqual([]);
    const { status, body } = await post('verify-record', {
      manifest_envelope_b64: envelope,
      content_b64: base64(CONTENT),
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        verdict: expect.objectContaining({ signature_valid: true, errors: [] }),
        recorded: true,
        receipt_id: expect.any(String),
      },
    });
    const reader = daemon.as({ bearer: await bearerOf('receipts:read') });
    const receipt = await reader('GET', `/v1/receipts/${body.receipt_id}?tenant_id=alfa`);
    expect(receipt).toMatchObject({ status: 200 });
    expect(await rows()).toEqual([{ tenant_id: 'alfa', kind: 'provenance.verified' }]);
    const elsewhere = daemon.as({ bearer: await bearerOf('receipts:read', { tenant_id: 'beta' }) });
    expect((await elsewhere('GET', `/v1/receipts/${body.receipt_id}?tenant_id=beta`)).status).toBe(404);
  });
});
