import { describe, expect, it } from 'vitest';
import type { LeaseMode } from '../leases/lease-states.types.js';
import type { LeaseRow } from '../leases/leases.types.js';
import { conflictsOf, isHolder, limitReached, passportOf, readLive } from './punchcards.rules.js';
import { MAX_OF_HOLDER, MAX_OF_TENANT } from './punchcards.types.js';
import { storedResource } from './resources.rules.js';

const card = (subject: string, holderPassport: string, mode: LeaseMode = 'write', heldBy = holderPassport) =>
  ({ subject, holderPassport, heldBy, mode }) as LeaseRow;
const asked = (text: string, holder: string, mode: LeaseMode) => ({ resource: storedResource(text), holder, mode });

describe('punchcards', () => {
  it.each([
    ['write', 'write', 1],
    ['write', 'read', 1],
    ['read', 'write', 1],
    ['read', 'read', 0],
  ] as const)('of one who holds to %s keep off another that asks to %s: %i', (has, asks, conflicts) => {
    const live = readLive([card('src', 'a', has)]);
    expect(conflictsOf(live, asked('src/x', 'b', asks))).toHaveLength(conflicts);
    expect(conflictsOf(live, asked('src/x', 'a', asks))).toHaveLength(0);
    expect(conflictsOf(live, asked('test', 'b', asks))).toHaveLength(0);
  });

  it('are bounded, of a holder and of a tenant', () => {
    const of = (count: number, holder: string) => readLive(Array.from({ length: count }, () => card('a', holder)));
    expect(limitReached(of(MAX_OF_HOLDER - 1, 'a'), 'a')).toBeUndefined();
    expect(limitReached(of(MAX_OF_HOLDER, 'a'), 'b')).toBeUndefined();
    expect(limitReached(of(MAX_OF_HOLDER, 'a'), 'a')).toEqual({ limit: MAX_OF_HOLDER, of: 'holder' });
    expect(limitReached(of(MAX_OF_TENANT, 'a'), 'b')).toEqual({ limit: MAX_OF_TENANT, of: 'tenant' });
  });

  it('are those of whom a request names, else of the credential', () => {
    const forAnother = card('src', 'worker', 'write', 'lead');
    const as = (passport: string) => ({ passport, principal: `passport:${passport}` });
    const nobody = { passport: undefined, principal: 'key:1' };
    expect(['worker', 'lead', 'other'].map((caller) => isHolder(forAnother, undefined, as(caller)))).toEqual([
      ...[true, true, false],
    ]);
    expect(['worker', 'lead'].map((named) => isHolder(forAnother, named, as('lead')))).toEqual([true, false]);
    expect([as('worker'), as('other'), nobody].map((caller) => isHolder(forAnother, 'worker', caller))).toEqual([
      ...[true, false, true],
    ]);
  });

  it('are nobody else’s by the name of a credential', () => {
    const agent = 'agent:0199aaaa-0000-7000-8000-000000000001';
    const as = (principal: string) => ({ passport: undefined, principal });
    for (const holder of [agent, 'sub:ada']) {
      const held = card('src', holder);
      expect([as(holder), as('key:1')].map((caller) => isHolder(held, holder, caller))).toEqual([true, false]);
      expect(isHolder(card('src', holder, 'write', 'key:1'), holder, as('key:1'))).toBe(true);
    }
  });

  it('are held by the passport, else by the principal, in a form of at most 200 characters', () => {
    expect(passportOf({ passport: 'p', principal: 'passport:p' })).toBe('p');
    expect(passportOf({ passport: undefined, principal: 'sub:s' })).toBe('sub:s');
    expect(passportOf({ passport: undefined, principal: 's'.repeat(201) })).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});
