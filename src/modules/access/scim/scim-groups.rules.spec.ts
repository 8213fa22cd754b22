import { describe, expect, it } from 'vitest';
import { patchGroup, readGroup, readGroupFilter, roleOfGroups, type ScimGroup } from './scim-groups.rules.js';
import { GROUP_SCHEMA } from './scim-schemas.js';
import { ScimInvalid } from './scim.problems.js';

const STAFF: ScimGroup = {
  schemas: [GROUP_SCHEMA],
  id: 'g',
  displayName: 'Staff',
  members: ['a', 'b'].map((value) => ({
    ...{ value, display: `${value}@example.org`, type: 'User', $ref: `http://svc/scim/v2/Users/${value}` },
  })),
  meta: {
    resourceType: 'Group',
    created: '2026-01-01T00:00:00.000Z',
    lastModified: '2026-01-01T00:00:00.000Z',
    location: 'http://svc/scim/v2/Groups/g',
  },
};
const patch = (...Operations: unknown[]) =>
  patchGroup(STAFF, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });

it('a group is read with its members, each once', () => {
  const members = [{ value: 'a', display: 'Ada' }, { value: 'A' }, 'b', 'B'];
  expect(readGroup({ displayName: ' Staff ', externalId: 'x', members, other: 1 })).toEqual({
    ...{ displayName: 'Staff', externalId: 'x', members: ['a', 'b'] },
  });
  expect(readGroup({ displayName: 'Staff' })).toEqual({ displayName: 'Staff', externalId: null, members: [] });
});

it.each([
  {},
  { displayName: '' },
  { displayName: 7 },
  { displayName: 'Staff', members: 'a' },
  { displayName: 'Staff', members: [{ display: 'Ada' }] },
  { displayName: 'Staff', members: [{ value: 'g2', type: 'Group' }] },
])('%j is no group', (body) => {
  expect(() => readGroup(body)).toThrow(ScimInvalid);
});

describe('a PATCH', () => {
  it.each<[string, unknown, object]>([
    ['that adds', { op: 'add', path: 'members', value: [{ value: 'c', display: 'C' }] }, { members: ['a', 'b', 'c'] }],
    ['that adds who is there', { op: 'Add', path: 'members', value: [{ value: 'a' }] }, { members: ['a', 'b'] }],
    ['that adds one', { op: 'add', path: 'members', value: { value: 'c' } }, { members: ['a', 'b', 'c'] }],
    ['of Okta that removes', { op: 'remove', path: 'members[value eq "a"]' }, { members: ['b'] }],
    [
      'of Entra that removes',
      { op: 'Remove', path: 'members', value: [{ $ref: null, value: 'a' }] },
      { members: ['b'] },
    ],
    ['that adds who is there, in upper case', { op: 'add', path: 'members', value: ['A'] }, { members: ['a', 'b'] }],
    ['that removes in upper case', { op: 'remove', path: 'members', value: [{ value: 'A' }] }, { members: ['b'] }],
    ['that removes all', { op: 'remove', path: 'members' }, { members: [] }],
    ['that removes some by a filter', { op: 'remove', path: 'members[value eq "a" or value eq "b"]' }, { members: [] }],
    ['of what is not kept', { op: 'add', path: 'membership', value: 'x' }, { members: ['a', 'b'] }],
    ['that replaces', { op: 'replace', path: 'members', value: [{ value: 'c' }] }, { members: ['c'] }],
    [
      'of Okta for the name',
      { op: 'replace', value: { id: 'g', displayName: 'All' } },
      { displayName: 'All', members: ['a', 'b'] },
    ],
    ['of Entra for the name', { op: 'Replace', path: 'displayName', value: 'All' }, { displayName: 'All' }],
    ['without a path', { op: 'add', value: { members: [{ value: 'c', type: 'User' }] } }, { members: ['a', 'b', 'c'] }],
  ])('%s', (_, operation, expected) => {
    expect(patch(operation)).toMatchObject(expected);
  });

  it.each([
    [{ op: 'add', path: 'members', value: [{ value: 'g2', type: 'Group' }] }],
    [{ op: 'increase', path: 'members', value: [] }],
    [{ op: 'remove', path: 'displayName' }],
    [{ op: 'Remove' }],
    [{ op: 'add', path: 'members', value: [{ display: 'C' }] }],
    [{ op: 'replace', path: 'members[value eq "a"].value', value: 'c' }],
    [{ op: 'remove', path: 'members[value eq a' }],
    [null],
  ])('%j is refused', (operation) => {
    expect(() => patch(operation)).toThrow(ScimInvalid);
  });
});

it('a PATCH with thousands of members is done at once: nobody else is answered meanwhile', () => {
  const ids = (from: number) => Array.from({ length: 9_000 }, (_, place) => String(from + place));
  const { members } = patch(
    { op: 'add', path: 'members', value: ids(0) },
    ...Array.from({ length: 10 }, () => ({ op: 'remove', path: 'members', value: ids(9_000) })),
    ...Array.from({ length: 10 }, () => ({ op: 'add', path: 'notes', value: ids(0) })),
    { op: 'replace', path: 'members', value: ids(4) },
  );
  expect(members).toHaveLength(9_000);
});

it('groups are looked for by name, id and externalId', () => {
  expect(readGroupFilter('displayName eq "Staff"')).toEqual({ displayName: 'Staff' });
  expect(readGroupFilter('EXTERNALID eq "x"')).toEqual({ externalId: 'x' });
  expect(readGroupFilter(undefined)).toEqual({});
  expect(() => readGroupFilter('displayName co "S"')).toThrow(ScimInvalid);
});

it('a role is given by the name of a group or by the id that the provider has for it', () => {
  const groupRoles = [
    ['Staff', 'member'],
    ['00g1', 'admin'],
  ] as const;
  expect(roleOfGroups([{ displayName: 'Staff', externalId: null }], groupRoles)).toBe('member');
  expect(
    roleOfGroups(
      [STAFF, { displayName: 'Other', externalId: '00g1' }].map((group) => ({ externalId: null, ...group })),
      groupRoles,
    ),
  ).toBe('admin');
  expect(roleOfGroups([{ displayName: 'Other', externalId: null }], groupRoles)).toBeUndefined();
});
