import { z } from 'zod';
import type { GroupRole } from '../../../common/config/people-settings.js';
import { strongestRole } from '../../../common/config/strongest-role.rules.js';
import { inLowerCase } from '../../../common/fields/lower-case.js';
import { GROUP_SCHEMA } from './scim-schemas.js';
import { applyPatch, invalid, readEquality } from './scim.rules.js';

/** A group as it is to be. */
export interface ScimGroupState {
  displayName: string;
  externalId: string | null;
  /** Ids of users, each once. */
  members: string[];
}

/** A group on the wire (RFC 7643, 4.2). */
export interface ScimGroup {
  schemas: string[];
  id: string;
  externalId?: string;
  displayName: string;
  /** Left out where the caller wants none. */
  members?: { value: string; display: string; type: 'User'; $ref: string }[];
  meta: { resourceType: 'Group'; created: string; lastModified: string; location: string };
}

/** By what groups are looked for; all where nothing is given. */
export interface ScimGroupFilter {
  displayName?: string;
  externalId?: string;
  id?: string;
}

const MAX_MEMBERS = 10_000;

const Member = z.union([z.string().transform((value) => ({ value })), z.looseObject({ value: z.string() })]);
const GroupBody = z.looseObject({
  displayName: z.string().trim().min(1, 'expected the name of the group').max(256),
  externalId: z.preprocess((value) => (value === '' ? null : value), z.string().max(256).nullish()),
  members: z.array(Member).max(MAX_MEMBERS, `at most ${MAX_MEMBERS} members`).nullish(),
});

/**
 * What is not kept here is ignored, as RFC 7644, 3.3 has it.
 * @throws ScimInvalid
 */
export function readGroup(body: unknown): ScimGroupState {
  const parsed = GroupBody.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid('invalidValue', `${issue!.path.join('.') || 'the body'}: ${issue!.message}`);
  }
  const { displayName, externalId = null, members } = parsed.data;
  const nested = (members ?? []).find((member) => 'type' in member && String(member.type).toLowerCase() === 'group');
  if (nested) throw invalid('invalidValue', `members: ${nested.value} is a group; send its users`);
  return { displayName, externalId, members: [...new Set((members ?? []).map(({ value }) => inLowerCase(value)))] };
}

/**
 * The group after the operations of a PATCH (RFC 7644, 3.5.2).
 * @throws ScimInvalid
 */
export function patchGroup(group: ScimGroup, body: unknown): ScimGroupState {
  const plain = { ...group, members: (group.members ?? []).map(({ value }) => ({ value })) };
  return readGroup(applyPatch(plain, withPlainMembers(body)));
}

/** Members are named by their id alone, so that what a provider sends with it does not make another one of it. */
function withPlainMembers(body: unknown): unknown {
  const operations = (body as { Operations?: unknown } | null)?.Operations;
  if (!Array.isArray(operations)) return body;
  return { ...(body as object), Operations: operations.map(plainOperation) };
}

function plainOperation(operation: { path?: unknown; value?: unknown } | null): unknown {
  if (operation === null || typeof operation !== 'object') return operation;
  const { path, value } = operation;
  if (path === 'members') return { ...operation, ...(value === undefined ? {} : { value: plainMembers(value) }) };
  if (typeof path === 'string' && path.startsWith('members['))
    return { ...operation, path: path.replace(QUOTED_ID, inLowerCase) };
  const isWhole = path === undefined && typeof value === 'object' && value !== null && 'members' in value;
  return isWhole ? { ...operation, value: { ...value, members: plainMembers(value.members) } } : operation;
}

const QUOTED_ID = /"[\da-f-]{36}"/gi;

const plainMembers = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : [value]).map((member: unknown) => {
    if (typeof member === 'string') return { value: inLowerCase(member) };
    if (typeof member !== 'object' || member === null || !('value' in member) || isGroup(member)) return member;
    return { value: typeof member.value === 'string' ? inLowerCase(member.value) : member.value };
  });

const isGroup = (member: object): boolean => 'type' in member && String(member.type).toLowerCase() === 'group';

/** What a group is looked for by, with the names as they are kept. */
const FILTERED: Record<string, keyof ScimGroupFilter> = {
  displayname: 'displayName',
  externalid: 'externalId',
  id: 'id',
};

/** Equality with one attribute (RFC 7644, 3.4.2.2). @throws ScimInvalid */
export const readGroupFilter = (text: string | undefined): ScimGroupFilter =>
  readEquality(text, FILTERED, GROUP_SCHEMA, 'displayName, externalId or id');

/**
 * What groups give, found by their name or the provider's id.
 * @param groupRoles of SVC_OIDC_GROUP_ROLES
 * @returns undefined where none of them gives anything
 */
export const roleOfGroups = (
  groups: readonly { displayName: string; externalId: string | null }[],
  groupRoles: readonly (readonly [string, GroupRole])[],
): GroupRole | undefined =>
  strongestRole(
    groups.flatMap(({ displayName, externalId }) => [displayName, externalId]),
    groupRoles,
  );
