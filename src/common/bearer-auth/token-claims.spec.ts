import { describe, expect, it } from 'vitest';
import { MalformedClaim, readClaims } from './token-claims.js';

const NOW = 1_800_000_000_000;
const exp = NOW / 1000 + 60;
const read = (claims: object) => readClaims({ exp, ...claims }, NOW, 30);

describe('the claims of a token', () => {
  it('are scopes as text, as a list, or both', () => {
    expect([...read({ scope: 'a:b  c:d' }).scopes]).toEqual(['a:b', 'c:d']);
    expect([...read({ scopes: ['a:b'], scope: 'c:d' }).scopes].sort()).toEqual(['a:b', 'c:d']);
    expect(read({}).scopes.size).toBe(0);
  });

  it('are one tenant, several, all or none', () => {
    expect(read({ tenant_id: 'a' }).tenants).toEqual(['a']);
    expect(read({ tenant_id: 'a', tenants: ['b', 'a'] }).tenants).toEqual(['a', 'b']);
    expect(read({ tenants: ['b', '*'] }).tenants).toBe('any');
    expect(read({}).tenants).toEqual([]);
  });

  it('name who acts: the passport, else the subject, else nobody', () => {
    expect(read({ passport_id: 'p', sub: 's' })).toMatchObject({
      ...{ passport: 'p', principal: 'passport:p', tokenSubject: 'sub:s' },
    });
    expect(read({ sub: 's' })).toMatchObject({
      ...{ passport: undefined, principal: 'sub:s', tokenSubject: 'sub:s' },
    });
    expect(read({}).principal).toBe('anonymous');
  });

  it('are refused by name', () => {
    expect(() => read({ exp: undefined })).toThrow(MalformedClaim);
    expect(() => read({ iat: NOW / 1000 + 31 })).toThrow(/^The iat /);
    expect(read({ iat: NOW / 1000 + 30 }).exp).toBe(exp);
    expect(() => read({ tenant_id: null })).toThrow(/^The tenant_id /);
    expect(() => read({ sub: 'x'.repeat(256) })).toThrow(/^The sub /);
  });
});
