import { expect, it } from 'vitest';
import { personOf } from './provider-person.rules.js';

const RULES = {
  groupsClaim: 'groups',
  groupRoles: [
    ['staff', 'member'],
    ['admins', 'admin'],
    ['guests', 'viewer'],
  ],
} as const;
const ADA = { email: 'Ada@Example.org', email_verified: true };

it.each([
  [{}, undefined],
  [{ groups: ['staff'] }, 'member'],
  [{ groups: ['guests', 'staff', 'admins'] }, 'admin'],
  [{ groups: ['owner', 'ADMINS', 7, null] }, undefined],
  [{ groups: 'admins' }, undefined],
  [{ roles: ['admins'] }, undefined],
])('the groups %j give %j', (claims, role) => {
  expect(personOf({ ...ADA, ...claims }, RULES)).toEqual({ email: 'ada@example.org', role });
});

it('an address is another person where only its Unicode letters have the same lower case', () => {
  expect(personOf({ ...ADA, email: '\u212Aate@Corp.com' }, RULES)?.email).toBe('\u212Aate@corp.com');
});

it.each([
  {},
  { email: 'ada@example.org' },
  { email: 'ada@example.org', email_verified: false },
  { email: 'ada@example.org', email_verified: 'true' },
  { email: '', email_verified: true },
  { email: ['ada@example.org'], email_verified: true },
])('%j are nobody', (claims) => {
  expect(personOf(claims, RULES)).toBeUndefined();
});
