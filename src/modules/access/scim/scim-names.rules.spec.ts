import { describe, expect, it } from 'vitest';
import { withNamesAsRead } from './scim-names.rules.js';
import { GROUP_SCHEMA, USER_SCHEMA } from './scim-schemas.js';
import { ScimInvalid } from './scim.problems.js';

describe('the names of attributes', () => {
  it.each<[unknown, unknown]>([
    [
      { Active: false, USERNAME: 'Ada' },
      { active: false, userName: 'Ada' },
    ],
    [{ Roles: [{ Value: 'Admin', PRIMARY: true }] }, { roles: [{ value: 'Admin', primary: true }] }],
    [{ [`${USER_SCHEMA.toUpperCase()}:Active`]: false }, { active: false }],
    [
      { 'Name.GivenName': 'Ada', nickName: 'A' },
      { 'Name.GivenName': 'Ada', nickName: 'A' },
    ],
    [{ operations: [{ OP: 'Add', Path: 'x' }] }, { Operations: [{ op: 'Add', path: 'x' }] }],
    ['Active', 'Active'],
    [null, null],
  ])('%j', (body, expected) => {
    expect(withNamesAsRead(body)).toEqual(expected);
  });

  it.each([
    ['ACTIVE', 'active'],
    [' Active ', 'active'],
    [`${USER_SCHEMA}:Active`, 'active'],
    [`${GROUP_SCHEMA.toUpperCase()}:MEMBERS`, 'members'],
    ['Roles[Primary eq True].Value', 'roles[Primary eq True].value'],
    ['Members[value eq "a].Value"]', 'members[value eq "a].Value"]'],
    ['urn:example:ext:2.0:User:Manager', 'urn:example:ext:2.0:User:Manager'],
  ])('of the path %j', (path, expected) => {
    expect(withNamesAsRead({ path })).toEqual({ path: expected });
  });

  it('are there once', () => {
    expect(() => withNamesAsRead({ active: true, Active: false })).toThrow(ScimInvalid);
    expect(() => withNamesAsRead({ value: { active: true, [`${USER_SCHEMA}:active`]: false } })).toThrow(ScimInvalid);
  });
});
