import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromAnotherAddress, send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { AUDIENCE, claims, forged, hs256, HS256_ENV, ISSUER, seconds, withPayload } from './given.js';
import { sendHeaders } from './raw-headers.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: HS256_ENV });
});
afterAll(() => daemon.close());

/** A route of admin:write: who is known but may not gets 403, who may gets 400 for an empty body. */
const ASKED = '/v1/append';
const ask = (token: string, headers: Record<string, string> = {}) =>
  daemon.as({ bearer: token })('POST', ASKED, {}, { ...fromAnotherAddress(), ...headers });
const statusOf = async (token: string, headers?: Record<string, string>) => (await ask(token, headers)).status;
const operator = (changed = {}) => hs256(claims({ scope: 'admin:write', ...changed }));

describe('jwt_hs256', () => {
  it('lets in by the scopes of a token, as text or as a list', async () => {
    expect(await statusOf(await operator())).toBe(400);
    expect(await statusOf(await operator({ scope: undefined, scopes: ['query:read', 'admin:write'] }))).toBe(400);
    const known = await ask(await hs256());
    expect([known.status, known.body]).toMatchObject([
      403,
      { code: 'MISSING_SCOPE', title: 'Forbidden', missingAnyScope: ['admin:write'] },
    ]);
    expect(known.headers.get('www-authenticate')).toBe(
      'Bearer realm="svc", error="insufficient_scope", scope="admin:write"',
    );
    expect(await statusOf(await operator({ scope: undefined }))).toBe(403);
  });

  it('answers 401 with a challenge and a hint to a caller without a credential', async () => {
    const { status, headers, body } = await send(daemon.url, 'POST', ASKED, {});
    expect([status, headers.get('www-authenticate'), headers.get('content-type')]).toEqual([
      401,
      'Bearer realm="svc"',
      'application/problem+json',
    ]);
    expect(body).toMatchObject({ type: 'urn:svc:errors/unauthorized', hint: expect.stringContaining('HS256') });
    expect(await statusOf('', { 'x-svc-scopes': 'admin:write' })).toBe(401);
  });

  it('says of a token what is wrong with it, and nothing that is in it', async () => {
    const { status, headers, body } = await ask(await operator({ exp: seconds(-60) }));
    expect([status, body.detail]).toEqual([401, 'The token has expired']);
    expect(headers.get('www-authenticate')).toBe(
      'Bearer realm="svc", error="invalid_token", error_description="The token has expired"',
    );
  });

  it.each(['exp', 'nbf'])('names a time that is none: %s', async (claim) => {
    const { status, body } = await ask(forged({ alg: 'HS256' }, claims({ [claim]: 'soon' })));
    expect([status, body.detail]).toEqual([401, `The ${claim} of the token is not a number of seconds since 1970`]);
  });

  it('allows clocks to differ by 30 seconds', async () => {
    expect(await statusOf(await operator({ exp: seconds(-20) }))).toBe(400);
    expect(await statusOf(await operator({ nbf: seconds(20), iat: seconds(20) }))).toBe(400);
  });

  it('looks at the token each time it comes, not only the first', async () => {
    const token = await operator();
    expect(await statusOf(token)).toBe(400);
    expect(await statusOf(token, { 'x-svc-passport-id': 'somebody' })).toBe(403);
    expect(await statusOf(`${token.slice(0, -4)}AAAA`)).toBe(401);
  });
});

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PUBLIC_PEM = RSA.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const header = (changed: object = {}) => ({ alg: 'HS256', typ: 'JWT', ...changed });
const admin = (changed: object = {}) => claims({ scope: 'admin:write', ...changed });

/** Each as it is made when it is sent: times are of then. */
const ATTACKS: Record<string, () => string | Promise<string>> = {
  'alg none': () => forged(header({ alg: 'none' }), admin()),
  'alg none without a signature': () => forged(header({ alg: 'none' }), admin()).replace(/[^.]+$/, ''),
  'alg NoNe': () => forged(header({ alg: 'NoNe' }), admin()),
  'no alg': () => forged({ typ: 'JWT' }, admin()),
  'an alg that is a list': () => forged(header({ alg: ['HS256'] }), admin()),
  'another HMAC': () => forged(header({ alg: 'HS512' }), admin(), undefined, 'sha512'),
  'RS256 of a key of its own': () => forged(header({ alg: 'RS256' }), admin(), PUBLIC_PEM),
  'HS256 under a public key': () => forged(header(), admin(), PUBLIC_PEM),
  'another secret': () => hs256(admin(), 'another secret of 32 characters and more'),
  'an empty secret': () => forged(header(), admin(), ''),
  'a tampered payload': async () => withPayload(await hs256(admin()), admin({ tenants: ['*'] })),
  'no signature': async () => (await hs256(admin())).replace(/[^.]+$/, ''),
  'another audience': () => hs256(admin({ aud: 'somebody-else' })),
  'no audience': () => hs256(admin({ aud: undefined })),
  'another issuer': () => hs256(admin({ iss: `${ISSUER}.evil` })),
  'no issuer': () => hs256(admin({ iss: undefined })),
  'a list of issuers': () => forged(header(), admin({ iss: [ISSUER] })),
  expired: () => hs256(admin({ exp: seconds(-31) })),
  'no exp': () => hs256(admin({ exp: undefined })),
  'an exp that is text': () => forged(header(), admin({ exp: String(seconds(60)) })),
  'an exp without end': () => forged(header(), JSON.stringify(admin()).replace(/"exp":\d+/, '"exp":1e999')),
  'nbf in the future': () => hs256(admin({ nbf: seconds(60) })),
  'nbf that is text': () => forged(header(), admin({ nbf: 'soon' })),
  'iat in the future': () => hs256(admin({ iat: seconds(60) })),
  'critical extensions': () => forged(header({ crit: ['b64'], b64: false }), admin()),
  'a type that is for something else': () => forged(header({ typ: 'logout+jwt' }), admin()),
  'a kid that is no text': () => forged(header({ kid: { $gt: '' } }), admin()),
  'an embedded key': () => forged(header({ jwk: RSA.publicKey.export({ format: 'jwk' }), alg: 'RS256' }), admin()),
  'a scope that is a number': () => forged(header(), admin({ scope: 7 })),
  'scopes that are text': () => forged(header(), admin({ scopes: 'admin:write' })),
  'scopes that hold a number': () => forged(header(), admin({ scopes: [7] })),
  'a tenant that is a list': () => forged(header(), admin({ tenant_id: ['alfa'] })),
  'a tenant for all': () => forged(header(), admin({ tenant_id: '*' })),
  'tenants that are text': () => forged(header(), admin({ tenants: '*' })),
  'a tenant with a NUL': () => forged(header(), admin({ tenant_id: 'al\0fa' })),
  'a tenant of 121 characters': () => forged(header(), admin({ tenant_id: 'a'.repeat(121) })),
  'an empty tenant': () => forged(header(), admin({ tenants: [''] })),
  'a passport that is none': () => forged(header(), admin({ passport_id: 'two words' })),
  'a passport that is null': () => forged(header(), admin({ passport_id: null })),
  'a subject that is a number': () => forged(header(), admin({ sub: 7 })),
  'a subject with half a character': () =>
    forged(header(), JSON.stringify(admin({ sub: 'x' })).replace('"x"', '"\\ud800"')),
  'claims that are null': () => forged(header(), 'null'),
  'claims that are text': () => forged(header(), '"admin:write"'),
  'claims that are a list': () => forged(header(), '[]'),
  'claims that are no JSON': () => forged(header(), '{"exp":'),
  'a header that is no JSON': () => forged('{"alg":"HS256"', admin()),
  'a header that is null': () => forged('null', admin()),
  'five parts': async () => `${await hs256(admin())}.a.b`,
  'two parts': async () => (await hs256(admin())).split('.').slice(0, 2).join('.'),
  dots: () => '..',
  garbage: () => 'not-a-token',
  'a list of scopes': () => 'admin:write',
  'more than 8 KiB': () => hs256(admin({ padding: 'x'.repeat(7000) })),
  'as much as the headers hold': () => 'A'.repeat(15_000),
  'deeply nested claims': () => forged(header(), `${'['.repeat(2500)}${']'.repeat(2500)}`),
};

describe('every attack on a token', () => {
  it.each(Object.entries(ATTACKS))('is answered 401: %s', async (_, token) => {
    const { status, body, headers } = await ask(await token());
    expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="svc", error="invalid_token"/);
  });

  it.each([
    ['Basic', ['Authorization', 'Basic YWRtaW46YWRtaW4=']],
    ['a scheme alone', ['Authorization', 'Bearer']],
    ['a token with words behind it', ['Authorization', 'Bearer %s admin:write']],
    ['a token in quotes', ['Authorization', 'Bearer "%s"']],
    ['the header twice', ['Authorization', 'Bearer %s', 'authorization', 'Bearer %s']],
    ['the header twice, once empty', ['Authorization', 'Bearer %s', 'Authorization', '']],
  ])('is answered 401: %s', async (_, headers) => {
    const token = await operator();
    expect(
      await sendHeaders(
        daemon.url,
        ASKED,
        headers.map((text) => text.replace('%s', token)),
      ),
    ).toBe(401);
  });

  it('alters a token that is accepted unchanged', async () => {
    const token = await operator();
    expect(await sendHeaders(daemon.url, ASKED, ['Authorization', `bearer  ${token}`])).toBe(400);
  });
});

describe('the passport of a token', () => {
  const withPassport = (passport: string | undefined) => operator({ passport_id: passport });

  it('is the one in the header, or none is sent', async () => {
    expect(await statusOf(await withPassport('p-1'))).toBe(400);
    expect(await statusOf(await withPassport('p-1'), { 'x-svc-passport-id': 'p-1' })).toBe(400);
  });

  it.each([['p-1'], [undefined]])('is %s, and another one in the header is refused', async (passport) => {
    const { status, body } = await ask(await withPassport(passport), { 'x-svc-passport-id': 'p-2' });
    expect([status, body.code, body.title]).toEqual([403, 'PASSPORT_HEADER_MISMATCH', 'Forbidden']);
  });

  it('is looked for only in what can be one', async () => {
    const { status, body } = await ask(await withPassport('p-1'), { 'x-svc-passport-id': 'p 1' });
    expect([status, body.code]).toEqual([400, 'INVALID_PASSPORT_HEADER']);
  });
});

describe('a route that asks for no scope of its own', () => {
  const OPEN = '/v1/audit/bundle/verify';

  it('is open to callers without a valid credential, unless route-auth enforces', async () => {
    const enforcing = await startDaemon({
      env: { ...HS256_ENV, SVCD_ROUTE_AUTH: 'enforce' },
      database: daemon.database,
    });
    try {
      const tokens = {
        none: '',
        'no valid one': 'garbage',
        'one without a scope': await operator({ scope: undefined }),
      };
      const answers = async ({ url }: TestDaemon) => {
        const found = Object.entries(tokens).map(async ([name, token]) => {
          const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
          return [name, (await send(url, 'POST', OPEN, {}, headers)).status] as const;
        });
        return Object.fromEntries(await Promise.all(found));
      };
      for (const status of Object.values(await answers(daemon))) expect([401, 403, 404, 500]).not.toContain(status);
      expect(await answers(enforcing)).toEqual({ none: 401, 'no valid one': 401, 'one without a scope': 403 });
    } finally {
      await enforcing.close();
    }
  });

  it('holds the passport to the token all the same', async () => {
    const headers = { authorization: `Bearer ${await operator()}`, 'x-svc-passport-id': 'somebody' };
    expect((await send(daemon.url, 'POST', OPEN, {}, headers)).body.code).toBe('PASSPORT_HEADER_MISMATCH');
  });
});

describe('what anybody may know', () => {
  it('is which tokens are taken, and never the secret', async () => {
    const { status, body, text } = await send(daemon.url, 'GET', '/v1/auth/mode');
    expect([status, body]).toMatchObject([
      200,
      { mode: 'jwt_hs256', route_auth: 'shadow', algorithms: ['HS256'], issuer: ISSUER, audience: AUDIENCE },
    ]);
    expect(text).not.toContain(HS256_ENV.SVCD_JWT_HS256_SECRET);
  });

  it('are the keys of the evidence, whatever is sent along', async () => {
    const { status, body } = await send(daemon.url, 'GET', '/v1/auth/keys', undefined, { authorization: 'Bearer x' });
    expect(status).toBe(200);
    expect(body.keys[0]).toEqual({
      alg: 'EdDSA',
      crv: 'Ed25519',
      kty: 'OKP',
      use: 'sig',
      kid: expect.any(String),
      nbf: expect.any(Number),
      svc_purposes: ['receipts'],
      x: expect.any(String),
    });
  });
});
