import { PATCH_OPERATION_SCHEMA, patchBodyValidation, scimPatch, type ScimPatch } from 'scim-patch';
import { parse } from 'scim2-parse-filter';
import { z } from 'zod';
import { GROUP_ROLES, type GroupRole } from '../../../common/config/people-settings.js';
import { strongestOf } from '../../../common/config/strongest-role.rules.js';
import { inLowerCase } from '../../../common/fields/lower-case.js';
import { findExcess, findFault, MANY_JSON_MEMBERS, MAX_JSON_VALUES } from '../../../common/http/json-body.js';
import { withNamesAsRead } from './scim-names.rules.js';
import { USER_SCHEMA } from './scim-schemas.js';
import { ScimInvalid, type ScimErrorType } from './scim.problems.js';

/** A user as it is to be. */
export interface ScimUserState {
  userName: string;
  externalId: string | null;
  active: boolean;
  /** undefined: as it is, or that of a new member. */
  role: GroupRole | undefined;
}

/** A user on the wire (RFC 7643, 4.1), as far as it is kept. */
export interface ScimUser {
  schemas: string[];
  id: string;
  externalId?: string;
  userName: string;
  active: boolean;
  emails: { value: string; type: string; primary: boolean }[];
  roles: { value: string; primary: boolean }[];
  /** Those it is in; changed by the groups. */
  groups: { value: string; display: string; type: 'direct'; $ref: string }[];
  meta: { resourceType: 'User'; created: string; lastModified: string; location: string };
}

/** By what users are looked for; everybody where nothing is given. */
export interface ScimUserFilter {
  userName?: string;
  externalId?: string;
  id?: string;
}

export const NEW_ROLE: GroupRole = 'member';

/** Most operations of one PATCH. */
const MAX_OPERATIONS = 100;

/**
 * Most values in the body of a user, lists and objects counted: what is added to a list is compared with all that is in
 * it.
 */
export const MAX_USER_VALUES = 2_000;

/** Longest path of a PATCH, and longest name of a member in it: they are split in more than linear time. */
const MAX_PATH = 500;

/** The parser of filters takes a line break in two ways, and tries all of them. */
const CONTROL = /\p{Cc}/u;

export const invalid = (scimType: ScimErrorType, detail: string): ScimInvalid => new ScimInvalid({ scimType }, detail);

/** Some clients write truth values as text: `"active": "False"`. */
const truth = z.preprocess(
  (value) => (typeof value === 'string' ? ({ true: true, false: false }[value.toLowerCase()] ?? value) : value),
  z.boolean('expected true or false'),
);

const UserBody = z.looseObject({
  userName: z.preprocess(
    (value) => (typeof value === 'string' ? inLowerCase(value.trim()) : value),
    z
      .string()
      .max(320)
      .regex(z.regexes.email, 'expected an e-mail address: let the provider send the address as userName'),
  ),
  externalId: z.preprocess((value) => (value === '' ? null : value), z.string().max(256).nullish()),
  active: truth.optional(),
  roles: z
    .array(z.union([z.string(), z.looseObject({ value: z.string() }).transform(({ value }) => value)]))
    .max(20)
    .optional(),
});

/**
 * The body of a request, with the names of attributes as they are read here, and no text that cannot be kept.
 * @throws ScimInvalid
 */
export function readJsonBody(bytes: Uint8Array, maxValues = MAX_JSON_VALUES): unknown {
  const excess = findExcess(bytes, MANY_JSON_MEMBERS, maxValues);
  if (excess !== undefined) throw invalid('invalidValue', `the body ${excess}`);
  const body = parsed(bytes);
  const fault = findFault(body, 'body');
  if (fault) throw invalid('invalidValue', `${fault.path} ${fault.message}`);
  return withNamesAsRead(body);
}

/** @throws ScimInvalid */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid('invalidSyntax', 'The body is no JSON');
  }
}

/** What a user is as far as a body does not say it. */
interface PresentUser {
  active: boolean;
  /** An owner may be said to be one. */
  isOwner: boolean;
}

const NEW_USER: PresentUser = { active: true, isOwner: false };

/**
 * What is not kept here is ignored, as RFC 7644, 3.3 has it; whether the user is active stays where nothing says it.
 * @throws ScimInvalid
 */
export function readUser(body: unknown, present = NEW_USER): ScimUserState {
  const result = UserBody.safeParse(body);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw invalid('invalidValue', `${issue!.path.join('.') || 'the body'}: ${issue!.message}`);
  }
  const { userName, externalId = null, active = present.active, roles } = result.data;
  const said = present.isOwner ? roles?.filter((role) => role !== 'owner') : roles;
  return { userName, externalId, active, role: roleOf(said) };
}

/** @throws ScimInvalid for a role that nobody gets by SCIM */
function roleOf(roles: readonly string[] | undefined): GroupRole | undefined {
  if (roles === undefined || roles.length === 0) return undefined;
  const unknown = roles.find((role) => !GROUP_ROLES.includes(role as GroupRole));
  if (unknown !== undefined) throw invalid('invalidValue', `roles: expected ${GROUP_ROLES.join(', ')}`);
  return strongestOf(roles);
}

/** Names by which a path would lead out of the resource. */
const FORBIDDEN_NAMES = /__proto__|constructor|prototype/;

/**
 * The user after the operations of a PATCH (RFC 7644, 3.5.2): without a role it is a member, as a new one.
 * @param user is left as it is
 * @throws ScimInvalid
 */
export function patchUser(user: ScimUser, body: unknown): ScimUserState {
  const patched = applyOperations(user, readOperations(body)) as Partial<ScimUser>;
  if (patched.active === undefined)
    throw invalid('invalidValue', 'active: cannot be removed; replace it by true or false');
  const isOwner = user.roles.some(({ value }) => value === 'owner');
  const state = readUser(patched, { active: user.active, isOwner });
  return isOwner || state.role !== undefined ? state : { ...state, role: NEW_ROLE };
}

/** As the library takes it: the name of an operation in upper or lower case. */
export interface ScimOperation {
  op: string;
  path?: string;
  value?: unknown;
}

/** The operations of a PATCH, none of them applied. @throws ScimInvalid */
export function readOperations(body: unknown): ScimOperation[] {
  try {
    patchBodyValidation(body as ScimPatch);
  } catch (error) {
    throw invalid('invalidSyntax', `${PATCH_OPERATION_SCHEMA}: ${(error as Error).message}`);
  }
  const { Operations: operations } = body as { Operations: ScimOperation[] };
  if (operations.length > MAX_OPERATIONS) throw invalid('invalidSyntax', `Send at most ${MAX_OPERATIONS} operations`);
  if (operations.some(({ op, value }) => op.toLowerCase() === 'replace' && value === undefined))
    throw invalid('invalidSyntax', 'Send a value with each replace');
  for (const { path } of operations) checkName(path ?? '');
  return operations;
}

/** @throws ScimInvalid for a path, or a name that is read as one, which would take long to read */
function checkName(name: string): void {
  if (name.length > MAX_PATH) throw invalid('invalidPath', `A path has at most ${MAX_PATH} characters`);
  if (CONTROL.test(name)) throw invalid('invalidPath', 'A path has no line breaks or other control characters');
}

interface Patchable {
  schemas: string[];
  meta: { resourceType: string; created: string; lastModified: string };
}

/** @param resource is left as it is @throws ScimInvalid */
function applyOperations(resource: Patchable, operations: readonly ScimOperation[]): unknown {
  const within = namesIn(operations);
  within.forEach(checkName);
  const named = [...operations.map(({ path }) => path ?? ''), ...within];
  try {
    if (named.some((name) => FORBIDDEN_NAMES.test(name))) throw new Error('a path names no attribute');
    const { meta: _, ...before } = structuredClone(resource);
    const meta = { created: new Date(resource.meta.created), lastModified: new Date(resource.meta.lastModified) };
    return scimPatch({ ...before, meta }, operations as ScimPatch['Operations'], {
      mutateDocument: true,
      treatMissingAsAdd: true,
    });
  } catch (error) {
    throw invalid('invalidPath', `The operations cannot be applied: ${(error as Error).message}`);
  }
}

/** The names of members, those within members too; values may be any text. */
const namesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, member]) => [name, ...namesIn(member)])
    : [];

/** What a user is looked for by, with the names as they are kept. */
const FILTERED: Record<string, keyof ScimUserFilter> = { username: 'userName', externalid: 'externalId', id: 'id' };

/** @throws ScimInvalid */
export function readFilter(text: string | undefined): ScimUserFilter {
  const filter = readEquality(text, FILTERED, USER_SCHEMA, 'userName, externalId or id');
  return filter.userName === undefined ? filter : { userName: inLowerCase(filter.userName) };
}

/**
 * Equality with one attribute (RFC 7644, 3.4.2.2); attributes are named in upper or lower case.
 * @param names attributes in lower case, with the names as they are kept
 * @throws ScimInvalid
 */
export function readEquality<Name extends string>(
  text: string | undefined,
  names: Readonly<Record<string, Name>>,
  schema: string,
  shown: string,
): { [Key in Name]?: string } {
  if (text === undefined || text.trim() === '') return {};
  const expected = `expected ${shown} eq "value"`;
  if (CONTROL.test(text)) throw invalid('invalidFilter', `filter: ${expected}, without control characters`);
  let filter: ReturnType<typeof parse>;
  try {
    filter = parse(text);
  } catch {
    throw invalid('invalidFilter', `filter: ${expected}`);
  }
  if (filter.op !== 'eq' || typeof filter.compValue !== 'string') throw invalid('invalidFilter', `filter: ${expected}`);
  const path = filter.attrPath.toLowerCase().replace(`${schema.toLowerCase()}:`, '');
  if (!Object.hasOwn(names, path)) throw invalid('invalidFilter', `filter: ${expected}`);
  return { [names[path]!]: filter.compValue } as { [Key in Name]?: string };
}
