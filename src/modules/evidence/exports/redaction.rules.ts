import type { Disclosure } from '../../../evidence/export/export-format.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { closeOver, isWithin, type OpenField } from './derived-fields.rules.js';
import { identifyingFields } from './identifying-fields.rules.js';

/**
 * What `include` may name, and the types of items that each part is. `proofs` is the log; the keys are signed with
 * everything else and always there.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  receipts: ['receipt', 'retrieval'],
  citations: ['answer', 'citation'],
  events: ['event', 'happening'],
  facts: ['fact'],
  findings: ['finding'],
  proofs: [],
  keys: [],
};
export const PART_NAMES = Object.keys(PARTS);

/** The parts that are asked for; all of them unless some are named. @throws ValidationFailed naming query.include */
export function partsOf(include: string | undefined): { types: ReadonlySet<string>; proofs: boolean } {
  const names = include === undefined ? PART_NAMES : listOf(include);
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined || names.length === 0)
    throw invalid('query.include', `must name parts, separated by commas, of: ${PART_NAMES.join(', ')}`);
  return { types: new Set(names.flatMap((name) => PARTS[name]!)), proofs: names.includes('proofs') };
}

/** The fields that the profile `content` withholds, by the type of item. */
const CONTENT: ReadonlyMap<string, readonly string[]> = new Map([
  ['receipt', ['payload.body']],
  ['retrieval', ['payload.body']],
  ['event', ['payload']],
  ['happening', ['data']],
  ['answer', ['text', 'text_hash']],
  ['fact', ['value']],
  ['citation', ['content', 'content_hash', 'quote', 'quote_hash', 'note', 'note_hash', 'title', 'url']],
]);
export const PROFILE_NAMES = ['none', 'content', 'identity', 'all'] as const;

export interface Redaction {
  profiles: ReadonlySet<string>;
  patterns: readonly string[];
}

/** @throws ValidationFailed naming query.redaction */
export function redactionOf(text: string | undefined): Redaction {
  const names = listOf(text ?? 'none');
  const profiles = new Set(names.filter((name) => (PROFILE_NAMES as readonly string[]).includes(name)));
  const patterns = names.filter((name) => !profiles.has(name));
  const malformed = patterns.find((pattern) => !/^[^.\s]+(\.[^.\s]+)*$/.test(pattern));
  if (names.length === 0 || malformed !== undefined)
    throw invalid('query.redaction', `must name profiles (${PROFILE_NAMES.join(', ')}) or fields, separated by commas`);
  if (profiles.has('none') && names.length > 1)
    throw invalid('query.redaction', 'none stands alone: leave it out, or leave out what else is named');
  return { profiles, patterns };
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/**
 * The fields that are not shown: those that are named, and whatever else would let someone find them out, because it is
 * a digest of them without a salt.
 * @param types the types of the items, by index
 * @throws ValidationFailed naming query.redaction for a name that no field has: it may be a slip that would show what
 * was to be hidden
 */
export function withheldFields(
  fields: readonly Disclosure[],
  types: readonly string[],
  { profiles, patterns }: Redaction,
): ReadonlySet<Disclosure> {
  const open = fields.map((field) => openField(field, types));
  const withheld = new Set(ofProfiles(open, profiles).map(({ field }) => field));
  for (const pattern of patterns) {
    const named = open.filter(({ steps }) => fits(pattern, steps));
    if (named.length === 0)
      throw invalid('query.redaction', `${JSON.stringify(pattern.slice(0, 100))} names no field of this export`);
    for (const { field } of named) withheld.add(field);
  }
  if (withheld.size > 0) closeOver(open, withheld);
  return withheld;
}

function openField(field: Disclosure, types: readonly string[]): OpenField {
  const [first, index] = field.path;
  const steps = field.path.map(String);
  return { field, type: first === 'items' ? types[Number(index)] : undefined, steps, name: steps.slice(2).join('.') };
}

function ofProfiles(open: readonly OpenField[], profiles: ReadonlySet<string>): readonly OpenField[] {
  if (profiles.has('all')) return open;
  return [
    ...(profiles.has('content') ? open.filter(isContent) : []),
    ...(profiles.has('identity') ? identifyingFields(open) : []),
  ];
}

const isContent = (one: OpenField): boolean =>
  (CONTENT.get(one.type ?? '') ?? []).some((member) => isWithin(one.name, member));

/**
 * A name fits wherever it stands in the path, a dotted one where its parts stand together; list indices may be left
 * out, and * is any one part.
 */
function fits(pattern: string, steps: readonly string[]): boolean {
  const wanted = pattern.split('.');
  const runsIn = (path: readonly string[]) =>
    path.some((_, at) =>
      wanted.every((part, n) => path[at + n] !== undefined && (part === '*' || part === path[at + n])),
    );
  return runsIn(steps) || runsIn(steps.filter((step) => !/^\d+$/.test(step)));
}
