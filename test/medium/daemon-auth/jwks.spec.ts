import { createPublicKey, createHmac, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fromAnotherAddress, send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { AUDIENCE, IdentityProvider } from './identity-provider.js';
import { seconds, withPayload } from './given.js';

/** Who may is answered 400 for an empty body, who is known but may not 403. */
const ASKED = '/v1/append';
const OPERATOR = 'operator';
const ALGORITHMS = ['RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'RS256'];

let provider: IdentityProvider;
let database: TestDatabase;
let daemons: TestDaemon[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  provider = await IdentityProvider.start({ [OPERATOR]: { tenant_id: 'alfa', passport_id: 'p-operator' } });
});
afterAll(async () => {
  await provider.goDown();
  await database.drop();
});
afterEach(async () => {
  for (const daemon of daemons) await daemon.close();
  daemons = [];
});

/** A daemon that asks as often as it has cause to. */
async function start(env: Record<string, string>): Promise<TestDaemon> {
  const daemon = await startDaemon({
    database,
    env: {
      SVCD_AUTH_MODE: 'jwks',
      SVCD_JWT_AUD: AUDIENCE,
      SVCD_JWT_JWKS_COOLDOWN_SECS: '0',
      SVCD_TRUSTED_PROXY_CIDRS: '127.0.0.1',
      ...env,
    },
  });
  daemons.push(daemon);
  return daemon;
}
const byDiscovery = (env: Record<string, string> = {}) =>
  start({ SVCD_JWT_OIDC_DISCOVERY_URL: provider.issuer, ...env });
const ask = (daemon: TestDaemon, bearer: string) => daemon.as({ bearer })('POST', ASKED, {}, fromAnotherAddress());
const statusOf = async (daemon: TestDaemon, bearer: string) => (await ask(daemon, bearer)).status;
const operatorToken = () => provider.token(OPERATOR, 'admin:write');

describe('jwt_jwks with an OpenID Provider', () => {
  it.each([
    ['discovery at its issuer', () => ({ SVCD_JWT_OIDC_DISCOVERY_URL: provider.issuer })],
    [
      'its discovery document',
      () => ({ SVCD_JWT_OIDC_DISCOVERY_URL: `${provider.issuer}/.well-known/openid-configuration` }),
    ],
    ['its key set', () => ({ SVCD_JWT_JWKS_URL: provider.jwksUrl })],
  ])('lets in by %s', async (_, env) => {
    const daemon = await start(env());
    const token = await operatorToken();
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) });
    expect(await statusOf(daemon, token)).toBe(400);
    const reader = await ask(daemon, await provider.token(OPERATOR, 'query:read'));
    expect([reader.status, reader.body.missingAnyScope]).toEqual([403, ['admin:write']]);
    const other = await daemon.as({ bearer: token, passport: 'p-other' })('POST', ASKED, {});
    expect([other.status, other.body.code]).toEqual([403, 'PASSPORT_HEADER_MISMATCH']);
  });

  it('takes what public keys verify', async () => {
    const daemon = await byDiscovery();
    const found: Record<string, number> = {};
    for (const alg of ALGORITHMS) {
      await provider.rotate({ alg });
      found[alg] = await statusOf(daemon, await operatorToken());
    }
    expect(found).toEqual(Object.fromEntries(ALGORITHMS.map((alg) => [alg, 400])));
  });

  it('follows the provider when it rotates its keys, and drops those it withdraws', async () => {
    await provider.rotate({ keepsOld: false });
    const daemon = await byDiscovery();
    const first = await operatorToken();
    expect(await statusOf(daemon, first)).toBe(400);
    await provider.rotate();
    const second = await operatorToken();
    expect(decodeProtectedHeader(second).kid).not.toBe(decodeProtectedHeader(first).kid);
    expect(await statusOf(daemon, second)).toBe(400);
    expect(await statusOf(daemon, first)).toBe(400);

    const unseen = await operatorToken();
    await provider.rotate({ keepsOld: false });
    expect(await statusOf(daemon, await operatorToken())).toBe(400);
    const withdrawn = await ask(daemon, unseen);
    expect([withdrawn.status, withdrawn.body.detail]).toEqual([
      401,
      'The token is signed with a key that is not in the key set',
    ]);
  });

  it('asks the provider once for many tokens of a key it does not know, and not again within the cool-down', async () => {
    const daemon = await byDiscovery({ SVCD_JWT_JWKS_COOLDOWN_SECS: '3600' });
    await provider.rotate();
    const before = provider.keySetReads;
    const tokens = await Promise.all(Array.from({ length: 20 }, operatorToken));
    expect(await Promise.all(tokens.map((token) => statusOf(daemon, token)))).toEqual(tokens.map(() => 400));
    expect(provider.keySetReads - before).toBe(1);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const foreign = (kid: string) =>
      new SignJWT(decodeJwt(tokens[0]!)).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
    for (const kid of ['foreign-1', 'foreign-2']) expect(await statusOf(daemon, await foreign(kid))).toBe(401);
    expect(provider.keySetReads - before).toBe(1);
  });

  it('goes on with the keys at hand while the provider is down, and says of others to try again', async () => {
    const daemon = await byDiscovery({ SVCD_JWT_JWKS_COOLDOWN_SECS: '1' });
    const [known, later] = [await operatorToken(), await operatorToken()];
    expect(await statusOf(daemon, known)).toBe(400);
    await provider.rotate();
    const unknown = await operatorToken();
    await provider.goDown();
    try {
      expect(await statusOf(daemon, later)).toBe(400);
      const { status, headers, body } = await ask(daemon, unknown);
      expect([status, headers.get('retry-after'), body.retryable]).toEqual([503, '1', true]);
      expect(body.detail).toContain('SVCD_JWT_OIDC_DISCOVERY_URL');
    } finally {
      await provider.comeUp();
    }
    await expect.poll(() => statusOf(daemon, unknown), { timeout: 20_000 }).toBe(400);
  });

  it('starts while the provider is down, and lets in once it is up', async () => {
    const token = await operatorToken();
    await provider.goDown();
    const daemon = await byDiscovery();
    expect(await statusOf(daemon, token)).toBe(503);
    expect((await send(daemon.url, 'GET', '/healthz')).status).toBe(200);
    await provider.comeUp();
    await expect.poll(() => statusOf(daemon, token), { timeout: 20_000 }).toBe(400);
  });

  it('takes the issuer from the discovery document unless SVCD_JWT_ISS says another', async () => {
    const { body } = await send((await byDiscovery()).url, 'GET', '/v1/auth/mode');
    expect(body).toMatchObject({
      mode: 'jwt_jwks',
      issuer: provider.issuer,
      audience: AUDIENCE,
      discovery_url: `${provider.issuer}/`,
      algorithms: expect.arrayContaining(['RS256', 'PS256', 'ES256']),
    });
    expect(body.algorithms.filter((alg: string) => /^HS|none/i.test(alg))).toEqual([]);
    const elsewhere = await byDiscovery({ SVCD_JWT_ISS: 'https://elsewhere.example' });
    const refused = await ask(elsewhere, await operatorToken());
    expect([refused.status, refused.body.detail]).toEqual([401, 'The token is of another issuer']);
  });

  it('shows nothing of an address that may be a secret', async () => {
    const secret = provider.jwksUrl.replace('http://', 'http://user:hunter2@').concat('?key=hunter3');
    const { body, text } = await send((await start({ SVCD_JWT_JWKS_URL: secret })).url, 'GET', '/v1/auth/mode');
    expect([body.jwks_url, text.includes('hunter')]).toEqual([provider.jwksUrl, false]);
  });
});

describe('every attack on a token of a key set', () => {
  let daemon: TestDaemon;
  let kid: string;
  let good: string;
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let fetched: string[] = [];
  let bait: Server;

  beforeAll(async () => {
    await provider.rotate({ keepsOld: false });
    bait = createServer((request, reply) => {
      fetched.push(request.url!);
      reply.end(
        JSON.stringify({ keys: [{ ...foreign.publicKey.export({ format: 'jwk' }), kid: 'bait', alg: 'RS256' }] }),
      );
    });
    await new Promise<void>((resolve) => bait.listen(0, '127.0.0.1', resolve));
    daemon = await startDaemon({
      database,
      env: {
        SVCD_AUTH_MODE: 'oidc',
        SVCD_JWT_AUD: AUDIENCE,
        SVCD_JWT_JWKS_COOLDOWN_SECS: '0',
        SVCD_TRUSTED_PROXY_CIDRS: '127.0.0.1',
        SVCD_JWT_OIDC_DISCOVERY_URL: provider.issuer,
      },
    });
    good = await operatorToken();
    kid = decodeProtectedHeader(good).kid!;
  });
  afterAll(async () => {
    await daemon.close();
    await new Promise((resolve) => bait.close(resolve));
  });

  const baitUrl = (): string => `http://127.0.0.1:${(bait.address() as AddressInfo).port}/keys`;
  const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  /** Signed by a key of the attacker. */
  const signed = (header: object, payload: object = decodeJwt(good)) =>
    new SignJWT({ ...payload }).setProtectedHeader({ alg: 'RS256', ...header }).sign(foreign.privateKey);
  /** HS256 under what anybody can read of the provider's key. */
  async function confused(form: 'spki' | 'pkcs1' | 'jwk'): Promise<string> {
    const { keys } = (await (await fetch(provider.jwksUrl)).json()) as { keys: never[] };
    const key = createPublicKey({ key: keys[0]!, format: 'jwk' });
    const secret = form === 'jwk' ? JSON.stringify(keys[0]) : key.export({ type: form, format: 'pem' });
    const text = `${segment({ alg: 'HS256', typ: 'JWT', kid })}.${segment(decodeJwt(good))}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  }

  const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  /** A letter that decoders take for the same where 256 bytes end: they pass over its last four bits. */
  const nextLetter = (letter: string): string => LETTERS[LETTERS.indexOf(letter) + 1]!;

  const ATTACKS: Record<string, () => string | Promise<string>> = {
    'HS256 under the public key (SPKI)': () => confused('spki'),
    'HS256 under the public key (PKCS #1)': () => confused('pkcs1'),
    'HS256 under the public key (JWK)': () => confused('jwk'),
    'alg none': () => `${segment({ alg: 'none', kid })}.${segment(decodeJwt(good))}.`,
    'EdDSA, which is not taken': () =>
      `${segment({ alg: 'EdDSA', kid })}.${segment(decodeJwt(good))}.${'A'.repeat(86)}`,
    'a foreign key under the kid of ours': () => signed({ kid }),
    'a foreign key without a kid': () => signed({}),
    'a foreign kid': () => signed({ kid: 'foreign' }),
    'a kid that is an address': () => signed({ kid: baitUrl() }),
    'a kid that is a path': () => signed({ kid: '../../../../dev/null' }),
    'jku and x5u': () => signed({ kid: 'bait', jku: baitUrl(), x5u: baitUrl() }),
    'a key in the header': () => signed({ kid, jwk: foreign.publicKey.export({ format: 'jwk' }) as object }),
    'a tampered payload': () => withPayload(good, { ...decodeJwt(good), tenants: ['*'] }),
    'the signature written another way': () => good.slice(0, -1) + nextLetter(good.at(-1)!),
    'the signature with padding': () => `${good}==`,
    'another algorithm of the same key': () => good.replace(/^[^.]+/, segment({ alg: 'PS256', kid, typ: 'JWT' })),
    'an algorithm of another kind of key': () => good.replace(/^[^.]+/, segment({ alg: 'ES256', kid, typ: 'JWT' })),
    'an ID token of the provider': () => provider.sign({ ...decodeJwt(good), aud: OPERATOR }),
    'another issuer under the right key': () => provider.sign({ ...decodeJwt(good), iss: 'https://elsewhere.example' }),
    expired: () => provider.sign({ ...decodeJwt(good), exp: seconds(-31) }),
    'of the future': () => provider.sign({ ...decodeJwt(good), nbf: seconds(60) }),
    'a logout token': () => provider.sign(decodeJwt(good), 'logout+jwt'),
  };

  it.each(Object.entries(ATTACKS))('is answered 401: %s', async (_, token) => {
    const { status, body } = await ask(daemon, await token());
    expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(await statusOf(daemon, good)).toBe(400);
  });

  it('alters a token that is accepted as the provider signs it', async () => {
    expect(await statusOf(daemon, await provider.sign(decodeJwt(good)))).toBe(400);
  });

  it('makes the daemon fetch from the provider alone', async () => {
    for (const token of Object.values(ATTACKS)) await ask(daemon, await token());
    expect(fetched).toEqual([]);
    fetched = [];
  });
});
