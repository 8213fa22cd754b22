import { describe, expect, it } from 'vitest';
import { USER_SCHEMA } from './scim-schemas.js';
import { ScimInvalid } from './scim.problems.js';
import { MAX_USER_VALUES, patchUser, readFilter, readJsonBody, readUser, type ScimUser } from './scim.rules.js';

const typeOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error instanceof ScimInvalid ? error.facts['scimType'] : error;
  }
  return undefined;
};

describe('a user', () => {
  it.each([
    [
      { userName: ' Ada@Example.org ' },
      { userName: 'ada@example.org', externalId: null, active: true, role: undefined },
    ],
    [
      { userName: 'a@b.example', active: 'False', externalId: 'x1' },
      { externalId: 'x1', active: false },
    ],
    [{ userName: 'a@b.example', roles: [{ value: 'viewer', primary: true }] }, { role: 'viewer' }],
    [{ userName: 'a@b.example', roles: ['member', 'admin'], name: { givenName: 'A' } }, { role: 'admin' }],
    [
      { userName: 'a@b.example', roles: [], externalId: '' },
      { role: undefined, externalId: null },
    ],
  ])('%j', (body, expected) => {
    expect(readUser(body)).toMatchObject(expected);
  });

  it.each([
    null,
    [],
    {},
    { userName: 'ada' },
    { userName: '\u212Aate@b.example' },
    { userName: 'a@b.example', active: 'maybe' },
    { userName: 'a@b.example', roles: [{ value: 'owner' }] },
    { userName: 'a@b.example', externalId: 7 },
  ])('refuses %j', (body) => {
    expect(typeOf(() => readUser(body))).toBe('invalidValue');
  });

  it('stays active or not where nothing says it', () => {
    for (const active of [true, false])
      expect(readUser({ userName: 'a@b.example' }, { active, isOwner: false }).active).toBe(active);
  });

  it.each([
    String.raw`{"externalId":"a\u0000b"}`,
    String.raw`{"Operations":[{"value":"a\ud800b"}]}`,
    `{"a":${'['.repeat(40)}${']'.repeat(40)}}`,
  ])('refuses %s, which cannot be kept', (text) => {
    expect(typeOf(() => readJsonBody(Buffer.from(text)))).toBe('invalidValue');
  });

  it('refuses more values than a user has', () => {
    const text = JSON.stringify({ emails: Array.from({ length: MAX_USER_VALUES }, () => 1) });
    expect(typeOf(() => readJsonBody(Buffer.from(text), MAX_USER_VALUES))).toBe('invalidValue');
  });

  it('refuses what is no JSON', () => {
    for (const bytes of [Buffer.from('{'), Buffer.from([0xff]), Buffer.alloc(0)])
      expect(typeOf(() => readJsonBody(bytes))).toBe('invalidSyntax');
  });
});

const ADA: ScimUser = {
  schemas: [USER_SCHEMA],
  id: '1',
  externalId: 'x1',
  userName: 'ada@example.org',
  active: true,
  emails: [{ value: 'ada@example.org', type: 'work', primary: true }],
  roles: [{ value: 'member', primary: true }],
  groups: [],
  meta: {
    resourceType: 'User',
    created: '2026-01-01T00:00:00.000Z',
    lastModified: '2026-01-01T00:00:00.000Z',
    location: 'http://svc/scim/v2/Users/1',
  },
};
const operations = (...Operations: unknown[]) => ({
  ...{ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations },
});
const patch = (...Operations: unknown[]) => patchUser(ADA, operations(...Operations));

describe('a PATCH', () => {
  it.each<[string, unknown, object, string?]>([
    ['with a path', { op: 'replace', path: 'active', value: false }, { active: false }],
    ['of Entra', { op: 'Replace', path: 'active', value: 'False' }, { active: false }],
    ['of Okta', { op: 'replace', value: { active: false } }, { active: false }],
    ['that adds', { op: 'add', path: 'externalId', value: 'x2' }, { externalId: 'x2', active: true }],
    ['that removes', { op: 'remove', path: 'externalId' }, { externalId: null, role: 'member' }],
    ['of a role', { op: 'replace', path: 'roles[primary eq true].value', value: 'admin' }, { role: 'admin' }],
    ['of all roles', { op: 'replace', path: 'roles', value: [{ value: 'viewer' }] }, { role: 'viewer' }],
    ['that takes the role', { op: 'remove', path: 'roles[value eq "viewer"]' }, { role: 'member' }, 'viewer'],
    ['that takes all roles', { op: 'remove', path: 'roles' }, { role: 'member' }, 'admin'],
    ['that empties them', { op: 'replace', path: 'roles', value: [] }, { role: 'member' }, 'admin'],
    ['that takes them of an owner', { op: 'remove', path: 'roles' }, { role: undefined }, 'owner'],
    ['of any text', { op: 'replace', path: 'externalId', value: 'prototype' }, { externalId: 'prototype' }],
    ['of any text of a member', { op: 'add', value: { title: 'constructor' } }, { active: true }],
    ['of what is not kept', { op: 'add', path: 'displayName', value: 'Ada' }, { active: true, role: 'member' }],
  ])('%s', (_, operation, expected, role = 'member') => {
    const user = { ...ADA, roles: [{ value: role, primary: true }] };
    expect(patchUser(user, operations(operation))).toMatchObject(expected);
  });

  it('leaves the user as it is', () => {
    const before = structuredClone(ADA);
    patch({ op: 'replace', path: 'active', value: false });
    expect(ADA).toEqual(before);
  });

  it.each([
    ['no operations', undefined, 'invalidSyntax'],
    ['another operation', { op: 'move', path: 'active' }, 'invalidSyntax'],
    ['a removal of nothing', { op: 'remove' }, 'invalidSyntax'],
    ['a removal of active', { op: 'remove', path: 'active' }, 'invalidValue'],
    ['a replacement by nothing', { op: 'Replace', path: 'active' }, 'invalidSyntax'],
    ['an owner', { op: 'replace', path: 'roles', value: [{ value: 'owner' }] }, 'invalidValue'],
    ['no truth value', { op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
    ['a path out of the user', { op: 'add', path: '__proto__.active', value: true }, 'invalidPath'],
    ['the same within a value', { op: 'add', value: [{ name: JSON.parse('{"__proto__":{}}') }] }, 'invalidPath'],
    ['the same in a value', { op: 'add', value: { 'constructor.prototype.active': true } }, 'invalidPath'],
    ['a path without end', { op: 'add', path: '.'.repeat(501), value: 1 }, 'invalidPath'],
    ['a name without end', { op: 'add', value: { ['.'.repeat(501)]: 1 } }, 'invalidPath'],
    ['a path with line breaks', { op: 'add', path: `emails[type eq "${'\n'.repeat(9)}`, value: 1 }, 'invalidPath'],
  ])('refuses %s', (_, operation, type) => {
    expect(typeOf(() => (operation === undefined ? patchUser(ADA, {}) : patch(operation)))).toBe(type);
    expect(({} as Record<string, unknown>)['active']).toBeUndefined();
  });

  it('refuses more than 100 operations', () => {
    const many = Array.from({ length: 101 }, () => ({ op: 'replace', path: 'active', value: true }));
    expect(typeOf(() => patch(...many))).toBe('invalidSyntax');
  });
});

describe('a filter', () => {
  it.each([
    [undefined, {}],
    ['userName eq "Ada@Example.org"', { userName: 'ada@example.org' }],
    ['userName eq "\u212AATE@b.example"', { userName: '\u212Aate@b.example' }],
    ['externalId eq "X1"', { externalId: 'X1' }],
    ['username EQ "a@b.example"', { userName: 'a@b.example' }],
    [`${USER_SCHEMA}:userName eq "a@b.example"`, { userName: 'a@b.example' }],
  ])('%s', (text, expected) => {
    expect(readFilter(text)).toEqual(expected);
  });

  it.each([
    'userName',
    'userName co "a"',
    'password eq "a"',
    'constructor eq "a"',
    '__proto__ eq "a"',
    'userName eq 1',
    'a eq "b" and c eq "d"',
    '((',
    'x'.repeat(400),
    'userName eq "a\nb"',
  ])('refuses %s', (text) => {
    expect(typeOf(() => readFilter(text))).toBe('invalidFilter');
  });

  it('with line breaks is refused at once: the parser would take twice as long for each of them', () => {
    const before = performance.now();
    expect(typeOf(() => readFilter(`userName eq "${'\n'.repeat(28)}`))).toBe('invalidFilter');
    expect(performance.now() - before).toBeLessThan(500);
  });
});
