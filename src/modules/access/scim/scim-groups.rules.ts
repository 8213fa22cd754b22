import { filter, parse } from 'scim2-parse-filter';
import { z } from 'zod';
import type { GroupRole } from '../../../common/config/people-settings.js';
import { strongestRole } from '../../../common/config/strongest-role.rules.js';
import { inLowerCase } from '../../../common/fields/lower-case.js';
import { GROUP_SCHEMA } from './scim-schemas.js';
import { invalid, readEquality, readOperations, type ScimOperation } from './scim.rules.js';

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
const Members = z.array(Member).max(MAX_MEMBERS, `at most ${MAX_MEMBERS} members`);
const GroupBody = z.looseObject({
  displayName: z.string().trim().min(1, 'expected the name of the group').max(256),
  externalId: z.preprocess((value) => (value === '' ? null : value), z.string().max(256).nullish()),
  members: z.array(z.unknown()).nullish(),
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
  return { displayName, externalId, members: [...new Set(idsIn(members ?? []))] };
}

/** A group while operations change it; what it is to be is read when all have. */
interface PatchedGroup {
  displayName: unknown;
  externalId: unknown;
  members: Set<string>;
}

/**
 * The group after the operations of a PATCH (RFC 7644, 3.5.2). Members are a set of ids here, as the library for users
 * compares each one that comes with each one that is there: with thousands of them that takes minutes.
 * @throws ScimInvalid
 */
export function patchGroup({ displayName, externalId, members = [] }: ScimGroup, body: unknown): ScimGroupState {
  const patched: PatchedGroup = { displayName, externalId, members: new Set(members.map(({ value }) => value)) };
  for (const operation of readOperations(body)) applyOperation(patched, operation);
  return readGroup({ ...patched, members: [...patched.members] });
}

/** @throws ScimInvalid */
function applyOperation(group: PatchedGroup, { op, path, value }: ScimOperation): void {
  const kind = op.toLowerCase();
  if (path) return changeAttribute(group, kind, path, value);
  if (kind === 'remove' || typeof value !== 'object' || value === null)
    throw invalid('invalidPath', 'Send a path, or the attributes as the members of value');
  for (const [name, member] of Object.entries(value)) changeAttribute(group, kind, name, member);
}

/** What is not kept is ignored. @throws ScimInvalid */
function changeAttribute(group: PatchedGroup, op: string, path: string, value: unknown): void {
  if (path === 'displayName' || path === 'externalId') group[path] = op === 'remove' ? undefined : value;
  else if (path === 'members') changeMembers(group, op, value);
  else if (/^members[[.]/.test(path)) removeFound(group.members, op, path);
}

/** @throws ScimInvalid */
function changeMembers(group: PatchedGroup, op: string, value: unknown): void {
  const ids = value === undefined ? undefined : idsIn(Array.isArray(value) ? value : [value]);
  if (op === 'replace' || ids === undefined) group.members = new Set(ids);
  else if (op === 'remove') for (const id of ids) group.members.delete(id);
  else for (const id of ids) group.members.add(id);
}

const MEMBERS_FILTER = /^members\[(.+)\]$/;
const QUOTED_ID = /"[\da-f-]{36}"/gi;

/** `members[value eq "..."]`. @throws ScimInvalid */
function removeFound(members: Set<string>, op: string, path: string): void {
  const text = MEMBERS_FILTER.exec(path)?.[1];
  if (op !== 'remove' || text === undefined)
    throw invalid('invalidPath', 'Add members by the path members; members[value eq "..."] removes one');
  const isMeant = memberFilter(text.replace(QUOTED_ID, inLowerCase));
  for (const value of members) if (isMeant({ value })) members.delete(value);
}

/** @throws ScimInvalid */
function memberFilter(text: string): (member: object) => boolean {
  try {
    return filter(parse(text));
  } catch {
    throw invalid('invalidPath', 'members: expected members[value eq "..."]');
  }
}

/** Ids of users, in lower case. @throws ScimInvalid */
function idsIn(members: readonly unknown[]): string[] {
  const parsed = Members.safeParse(members);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid('invalidValue', `${['members', ...issue!.path].join('.')}: ${issue!.message}`);
  }
  const nested = parsed.data.find((member) => 'type' in member && String(member.type).toLowerCase() === 'group');
  if (nested) throw invalid('invalidValue', `members: ${nested.value} is a group; send its users`);
  return parsed.data.map(({ value }) => inLowerCase(value));
}

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
