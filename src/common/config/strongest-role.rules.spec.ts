import { expect, it } from 'vitest';
import { strongestOf, strongestRole } from './strongest-role.rules.js';

const groupRoles = [
  ['readers', 'viewer'],
  ['admins', 'admin'],
  ['staff', 'member'],
] as const;

it.each([
  [['staff', 'readers'], 'member'],
  [['readers', 'admins'], 'admin'],
  [['others', 7, null], undefined],
  [[], undefined],
])('groups %j give %s', (groups, role) => {
  expect(strongestRole(groups, groupRoles)).toBe(role);
});

it('takes of several roles the one that may do most', () => {
  expect(strongestOf(['viewer', 'member'])).toBe('member');
  expect(strongestOf(['owner'])).toBeUndefined();
});
