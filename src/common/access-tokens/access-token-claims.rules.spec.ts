import { describe, expect, it } from 'vitest';
import { missingScopes, readAccessTokenClaims } from './access-token-claims.rules.js';

const NOW = 1_800_000_000_000;
const EXP = NOW / 1000 + 60;
const BY_EMAIL = { person: 'email', tenant: undefined };
const read = (claims: object, names: { person: string; tenant: string | undefined } = BY_EMAIL) =>
  readAccessTokenClaims(names, { exp: EXP, ...claims }, NOW, 30);

describe('the person of an access token', () => {
  it('is a verified e-mail address, in lower case', () => {
    expect(read({ email: 'Ada@Example.org', email_verified: true }).person).toBe('ada@example.org');
  });

  it.each([undefined, false, 'true', 1, null])('is nobody where email_verified is %j', (email_verified) => {
    expect(read({ email: 'ada@example.org', email_verified }).person).toBeUndefined();
  });

  it('is another claim, believed as it is, where the settings name one', () => {
    const names = { person: 'https://example.org/seat', tenant: undefined };
    expect(read({ 'https://example.org/seat': 'ada@example.org' }, names).person).toBe('ada@example.org');
    expect(read({ email: 'ada@example.org', email_verified: true }, names).person).toBeUndefined();
  });

  it.each([[['ada@example.org']], [''], [7], ['a\0b'], ['x'.repeat(321)]])('is nobody for %j', (email) => {
    expect(read({ email, email_verified: true }).person).toBeUndefined();
  });

  it('is nobody else whose letters have the same lower case', () => {
    expect(read({ email: '\u212aelvin@example.org', email_verified: true }).person).toBe('\u212aelvin@example.org');
  });

  it('is no member that every object has', () => {
    expect(read({}, { person: 'constructor', tenant: 'toString' })).toMatchObject({
      person: undefined,
      tenant: undefined,
    });
  });
});

it('a tenant is read where a claim is named for it', () => {
  expect(read({ org: 'acme' }).tenant).toBeUndefined();
  expect(read({ org: 'acme' }, { person: 'email', tenant: 'org' }).tenant).toBe('acme');
  expect(read({ org: ['acme'] }, { person: 'email', tenant: 'org' }).tenant).toBeUndefined();
});

it('scopes come as text or as a list, as scope or as scp', () => {
  expect([...read({ scope: 'a b', scp: ['c'] }).scopes]).toEqual(['a', 'b', 'c']);
  expect([...read({ scp: ' mcp ' }).scopes]).toEqual(['mcp']);
  expect([...read({}).scopes]).toEqual([]);
  for (const scope of [7, [7], { a: 1 }]) expect(() => read({ scope })).toThrow('The scope or scp of the token');
});

it('without its end it is no token', () => {
  expect(() => read({ exp: undefined })).toThrow('no exp');
});

it('scopes are asked for with the address of their resource, and borne without', () => {
  const required = ['mcp', 'https://example.org/mcp/use'];
  expect(missingScopes(required, new Set(['mcp', 'use']))).toEqual([]);
  expect(missingScopes(required, new Set(['https://example.org/mcp/use']))).toEqual(['mcp']);
  expect(missingScopes([], new Set())).toEqual([]);
});
