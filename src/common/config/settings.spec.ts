import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingsExample, settingsPage } from './document-settings.js';
import { loadSettings, SettingsInvalid } from './settings.js';

const faultsOf = (environment: Record<string, string>): string[] => {
  try {
    loadSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsInvalid) return error.faults;
    throw error;
  }
};

describe('settings', () => {
  it('has a value for everything with an empty environment', () => {
    const { api, features, database } = loadSettings({});
    expect(api).toMatchObject({ host: '127.0.0.1', port: 8090, processes: 1, allowLegacyTenantFields: false });
    expect(features).toEqual({ selfSignup: false, continuity: true, watches: true, proofs: true });
    expect(database.url).toBeUndefined();
  });

  it('reports all errors together, and never the value of a secret', () => {
    const faults = faultsOf({
      SVC_API_PORT: 'http',
      FEATURE_PROOFS: 'yes\n',
      SVC_DATABASE_URL: 'mysql://root:hunter2@db/x',
      SVC_BOOTSTRAP_API_KEY: 'short',
      SVCD_JWT_JWKS_URL: 'ftp://me:hunter2@id.example.com/keys',
    });
    expect(faults).toHaveLength(5);
    expect(faults.join()).toContain(
      'SVCD_JWT_JWKS_URL: expected an address that begins with http:// or https:// (was "ftp://***@id.example.com/keys")',
    );
    expect(faults.join()).toContain('SVC_API_PORT: expected a whole number from 0 to 65535 (was "http")');
    expect(faults.join()).not.toMatch(/hunter2|"short"/);
  });

  it.each([
    ['SVC_LOG_ORIGIN', ['my log', 'a+b', 'log\n', 'a\u0001b'], 'expected a name without white space'],
    ['SVC_BOOTSTRAP_TENANT_ID', ['käse', 'bad name', 'acme\n'], 'expected the name of a tenant'],
    ['SVC_BOOTSTRAP_API_KEY', ['long enough\n', ' long enough', 'schlüssel-käse'], 'expected visible ASCII'],
    ['SVC_API_KEY', ['key\n', 'schlüssel'], 'expected visible ASCII'],
    ['MCP_STDIO_API_KEY', ['key\n', 'schlüssel'], 'expected visible ASCII'],
    ['SVCD_RATE_LIMIT_RPS', [' ', '\t', '0x10', '1e3', ' 5', '5\n', 'Infinity'], 'expected a whole number'],
    ['SVCD_DATA_DIR_MIN_FREE_RATIO', [' ', '1e-1', '.'], 'expected a number'],
    ['SVC_NATS_STREAM', ['a.b', 'a b', 'a>', 'a*', 'a/b', 'a\\b', 'a'.repeat(256)], 'expected up to 255 characters'],
    ['SVC_NATS_URL', ['nats://tok%ZZ@host:1', 'nats://a:%@host:1'], 'expected each % in user, password or token'],
    [
      'SVC_OIDC_GROUP_ROLES',
      ['staff', 'a:admin,', ':admin', 'a:Admin', 'a:owner', 'b:member, a:membr'],
      'expected group:role',
    ],
    ['SVC_WEBHOOK_RETRY_SECONDS', ['5, ,3', '0x10'], 'expected numbers of seconds'],
  ])('refuses by its name what %s cannot be', (name, values, expected) => {
    for (const value of values)
      expect([value, faultsOf({ [name]: value })]).toEqual([
        value,
        [expect.stringMatching(new RegExp(`^${name}: ${expected}`))],
      ]);
  });

  it('names the entry of groups and roles that is none, and takes blanks around each', () => {
    expect(faultsOf({ SVC_OIDC_GROUP_ROLES: 'b:member, a:membr' })[0]).toContain('; "a:membr" is none');
    const { people } = loadSettings({ SVC_OIDC_GROUP_ROLES: ' cn:x : admin ,staff:member' });
    expect(people.groupRoles).toEqual([
      ['cn:x', 'admin'],
      ['staff', 'member'],
    ]);
  });

  it('takes numbers in digits, and keys with blanks within', () => {
    const { daemon, outbox, bootstrap } = loadSettings({
      SVCD_RATE_LIMIT_RPS: '0',
      SVCD_DATA_DIR_MIN_FREE_RATIO: '.25',
      SVC_WEBHOOK_RETRY_SECONDS: '5, 0.5',
      SVC_BOOTSTRAP_API_KEY: 'chosen by a person',
    });
    expect([daemon.rateLimitRps, daemon.minFreeRatio, outbox.webhookRetrySeconds]).toEqual([0, 0.25, [5, 0.5]]);
    expect(bootstrap.apiKey).toBe('chosen by a person');
  });

  it('refuses a port that two listeners of one host are to bind, and names both settings', () => {
    expect(faultsOf({ SVCD_HTTP_PORT: '25900', SVCD_MCP_PORT: '25900' })).toEqual([
      'SVCD_MCP_PORT: 25900 is that of SVCD_HTTP_PORT too; each needs its own',
    ]);
    expect(faultsOf({ SVC_TOOLS_PORT: '8090', SVC_TOOLS_HOST: '0.0.0.0' })).toHaveLength(1);
    expect(faultsOf({ SVC_TOOLS_PORT: '8090', SVC_TOOLS_HOST: '127.0.0.2' })).toEqual([]);
    expect(faultsOf({ SVCD_HTTP_PORT: '0', SVCD_MCP_PORT: '0' })).toEqual([]);
  });

  it('refuses a largest body that the bodies in flight leave no space for, and names both settings', () => {
    expect(faultsOf({ SVC_MAX_INFLIGHT_BODY_MIB: '32' })).toEqual([
      'SVC_MAX_INFLIGHT_BODY_MIB: 32 is less than the 33 MiB of the largest body by SVC_MAX_FILE_MIB; raise it, or lower SVC_MAX_FILE_MIB',
    ]);
    expect(faultsOf({ SVC_MAX_INFLIGHT_BODY_MIB: '33' })).toEqual([]);
    expect(faultsOf({ SVC_MAX_INFLIGHT_BODY_MIB: '1' })).toHaveLength(4);
    expect(faultsOf({ SVC_TOOLS_MAX_BODY_BYTES: String(1024 ** 3) })).toHaveLength(1);
    expect(faultsOf({ SVCD_MAX_REQUEST_BODY_BYTES: '0' })).toEqual([]);
  });

  it('reads every sslmode that is to check something as verify-full', () => {
    const read = (query: string) => loadSettings({ SVC_DATABASE_URL: `postgresql://a@b/c?${query}` }).database.url;
    for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full'])
      expect(read(`sslmode=${mode}&sslrootcert=x`)).toBe('postgresql://a@b/c?sslmode=verify-full&sslrootcert=x');
    for (const query of ['sslmode=no-verify', 'sslmode=disable', 'uselibpqcompat=true&sslmode=require'])
      expect(read(query)).toBe(`postgresql://a@b/c?${query}`);
  });

  it('takes SVCD_ERRORS_BASE with a slash at its end or without', () => {
    for (const base of ['https://errors.example.com/svc', 'https://errors.example.com/svc/'])
      expect(loadSettings({ SVCD_ERRORS_BASE: base }).daemon.errorsBase).toBe('https://errors.example.com/svc');
  });

  it('makes nothing up in production', () => {
    expect(faultsOf({ NODE_ENV: 'production' })).toEqual([
      expect.stringContaining('SVC_SESSION_SECRET is required with NODE_ENV=production'),
      expect.stringContaining('SVC_BOOTSTRAP_API_KEY is required with NODE_ENV=production'),
      expect.stringMatching(/SVC_SIGNING_KEY_FILE is required with NODE_ENV=production: .*svc key create-signing/),
    ]);
    const chosen = {
      SVC_SESSION_SECRET: 'x'.repeat(32),
      SVC_BOOTSTRAP_API_KEY: 'y'.repeat(32),
      SVC_SIGNING_KEY_FILE: '/data/keys/signing-key.pem',
    };
    expect(faultsOf({ NODE_ENV: 'production', ...chosen })).toEqual([]);
  });

  it('refuses a chosen key of less than 32 characters in production alone', () => {
    const chosen = {
      SVC_SESSION_SECRET: 'x'.repeat(32),
      SVC_BOOTSTRAP_API_KEY: 'y'.repeat(31),
      SVC_SIGNING_KEY_FILE: '/data/keys/signing-key.pem',
    };
    expect(faultsOf({ NODE_ENV: 'production', ...chosen })).toEqual([
      expect.stringMatching(/^SVC_BOOTSTRAP_API_KEY has fewer than the 32 characters .*NODE_ENV=production/),
    ]);
    expect(faultsOf(chosen)).toEqual([]);
  });

  it.each([
    ['docs/env.md', settingsPage],
    ['.env.example', settingsExample],
  ])('%s is what the table says (npm run docs:env writes it)', (file, render) => {
    expect(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')).toBe(render());
  });
});
