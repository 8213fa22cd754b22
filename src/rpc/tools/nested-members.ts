import type { FieldRecord } from '../../common/fields/fields.js';
import { fieldsOf } from '../../common/fields/fields.js';
import { snakeCase } from '../../common/fields/snake-case.js';
import { isRecord } from '../../evidence/canonical-json.js';
import type { Issue } from '../../common/problem/common-problems.js';

/** How the API spells the members of the objects in a parameter, by their names here, and what is in them in turn. */
export type NestedMembers = ReadonlyMap<string, NestedMember>;
interface NestedMember {
  /** The member of the API, as its DTO has it; taken here too where it differs: for one version. */
  member: string;
  nested?: NestedMembers;
}

/** Of a list of wrong items no more are reported. */
const MAX_ISSUES = 20;

/** @returns undefined where nothing in it is spelled otherwise; the members of a free object are the caller's own */
export function nestedMembersOf({ options: { type, types } }: FieldRecord): NestedMembers | undefined {
  const fields = (types ?? (type ? [type()] : [])).flatMap((one) => [...fieldsOf(one)]);
  const members = fields.map((field): [string, NestedMember] => {
    const nested = nestedMembersOf(field);
    return [snakeCase(field.name), { member: field.name, ...(nested ? { nested } : {}) }];
  });
  const differs = members.some(([name, { member, nested }]) => name !== member || nested);
  return differs ? new Map(members) : undefined;
}

/**
 * The value under the names of the input schema: members in the API's spelling get theirs.
 * @param issues gets every member that is there in both spellings
 */
export function inOwnSpelling(
  value: unknown,
  nested: NestedMembers,
  { path, issues }: { path: string; issues: Issue[] },
): unknown {
  if (Array.isArray(value))
    return value.map((item, at) => inOwnSpelling(item, nested, { path: `${path}[${at}]`, issues }));
  if (!isRecord(value)) return value;
  const names = new Map([...nested].map(([name, { member }]) => [member, name]));
  const members = Object.entries(value).flatMap(([given, item]): [string, unknown][] => {
    const name = names.get(given) ?? given;
    const inner = nested.get(name)?.nested;
    if (name === given || !Object.hasOwn(value, name))
      return [[name, inner ? inOwnSpelling(item, inner, { path: `${path}.${name}`, issues }) : item]];
    const message = `is the former spelling of ${name}, which is there too; send ${name} alone`;
    if (issues.length < MAX_ISSUES) issues.push({ path: `${path}.${given}`, message });
    return [];
  });
  return Object.fromEntries(members);
}

/** The same value under the names of the API. */
export function inApiSpelling(value: unknown, nested: NestedMembers | undefined): unknown {
  if (!nested) return value;
  if (Array.isArray(value)) return value.map((item) => inApiSpelling(item, nested));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const known = nested.get(name);
      return known ? [known.member, inApiSpelling(item, known.nested)] : [name, item];
    }),
  );
}

/** A place in a value of the API (`[0].questionId`) as the same place here. */
export function placeInOwnSpelling(place: string, nested: NestedMembers | undefined): string {
  let within = nested;
  return place.replace(/\.(\w+)/g, (step, member: string) => {
    const found = within && [...within].find(([, known]) => known.member === member);
    within = found?.[1].nested;
    return found ? `.${found[0]}` : step;
  });
}

/** The name here of a member that the API spells so, wherever it is. */
export function findOwnSpelling(member: string, nested: NestedMembers | undefined): string | undefined {
  for (const [name, known] of nested ?? []) {
    const found = known.member === member ? name : findOwnSpelling(member, known.nested);
    if (found !== undefined) return found;
  }
  return undefined;
}
