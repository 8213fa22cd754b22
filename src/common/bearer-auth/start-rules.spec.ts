import { describe, expect, it } from 'vitest';
import { loadSettings, SettingsInvalid } from '../config/settings.js';
import { isLoopback } from '../http/bound-address.js';
import { authModeToStartIn, bindingsBeyondLoopback } from './start-rules.js';

const start = (environment: Record<string, string>) => authModeToStartIn(loadSettings(environment));

function faultsOf(environment: Record<string, string>): string[] {
  try {
    start(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsInvalid) return error.faults;
    throw error;
  }
}

describe('the mode to start in', () => {
  it.each([
    ['off', ['off', 'OFF', 'Off']],
    ['dev_scopes', ['dev', 'DEV', 'dev_scopes', 'dev-scopes', 'DevScopes', 'DEV SCOPES']],
    ['jwt_hs256', ['jwt', 'JWT', 'hs256', 'jwt_hs256', 'JWT-HS256', 'jwtHs256']],
    ['jwt_jwks', ['jwks', 'JWKS', 'oidc', 'OIDC', 'jwt_jwks', 'jwt-jwks']],
  ])('is %s by any of its spellings', (mode, spellings) => {
    const keys = { SVCD_JWT_JWKS_URL: 'https://issuer.example/jwks' };
    expect(spellings.map((spelling) => start({ ...keys, SVCD_AUTH_MODE: spelling }))).toEqual(
      spellings.map(() => mode),
    );
  });

  it.each([[''], [undefined]])('has no default: %j', (mode) => {
    const faults = faultsOf(mode === undefined ? {} : { SVCD_AUTH_MODE: mode });
    expect(faults).toEqual([expect.stringMatching(/off, dev_scopes, jwt_hs256, jwt_jwks/)]);
  });

  it.each([['none'], ['basic'], ['dev_scopes,off'], ['true']])('is not %s', (mode) => {
    expect(faultsOf({ SVCD_AUTH_MODE: mode })).toEqual([
      `SVCD_AUTH_MODE: expected one of off, dev_scopes, jwt_hs256, jwt_jwks (was "${mode}")`,
    ]);
  });

  it.each([['SVCD_HTTP_HOST'], ['SVCD_MCP_HOST'], ['SVCD_GRPC_HOST']])(
    'accepts no unproved claims beyond loopback: %s',
    (host) => {
      for (const mode of ['off', 'dev_scopes']) {
        const environment = { SVCD_AUTH_MODE: mode, [host]: '0.0.0.0' };
        expect(faultsOf(environment)).toEqual([expect.stringContaining(`${host}=0.0.0.0`)]);
        expect(faultsOf({ ...environment, SVCD_ALLOW_INSECURE_DEV_AUTH_BIND: 'true' })).toHaveLength(1);
        expect(faultsOf({ ...environment, SVCD_ALLOW_INSECURE_DEV_AUTH_BIND: '1' })).toEqual([]);
      }
      const byTokens = { SVCD_AUTH_MODE: 'jwt', [host]: '0.0.0.0' };
      expect(faultsOf(byTokens)).toEqual([]);
      expect(bindingsBeyondLoopback(loadSettings(byTokens))).toEqual([`${host}=0.0.0.0`]);
    },
  );

  it('needs to know where keys are', () => {
    expect(faultsOf({ SVCD_AUTH_MODE: 'oidc' })).toEqual([
      expect.stringMatching(/SVCD_JWT_OIDC_DISCOVERY_URL.*SVCD_JWT_JWKS_URL/),
    ]);
  });

  it('names every secret that production lacks at once, that of jwt_hs256 in its mode alone', () => {
    const production = { NODE_ENV: 'production', SVCD_AUTH_MODE: 'jwt' };
    expect(faultsOf(production).map((fault) => fault.split(' ', 1)[0])).toEqual([
      'SVC_SESSION_SECRET',
      'SVCD_JWT_HS256_SECRET',
      'SVC_BOOTSTRAP_API_KEY',
      'SVC_SIGNING_KEY_FILE',
    ]);
    expect(faultsOf({ ...production, SVCD_AUTH_MODE: 'dev' }).join()).not.toContain('SVCD_JWT_HS256_SECRET');
  });
});

describe('loopback', () => {
  it.each([['127.0.0.1'], ['127.8.9.10'], ['::1'], ['[::1]'], ['localhost'], ['LOCALHOST'], ['::ffff:127.0.0.1']])(
    'is %s',
    (host) => expect(isLoopback(host)).toBe(true),
  );
  it.each([
    ['0.0.0.0'],
    ['::'],
    ['10.0.0.1'],
    ['0'],
    ['127.0.0.1.example.com'],
    ['localhost.example.com'],
    ['128.0.0.1'],
  ])('is not %s', (host) => expect(isLoopback(host)).toBe(false));
});
