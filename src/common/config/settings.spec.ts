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
