import { blake3Digest } from '../../../evidence/digest.js';
import type { Disclosure, FieldPath } from '../../../evidence/export/export-format.js';
import { invalid } from '../../../common/problem/common-problems.js';

/**
 * What `include` may name, and the types of items that each part is. `proofs` is the log; the keys are signed with
 * everything else and always there.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  receipts: ['receipt', 'retrieval'],
  citations: ['answer', 'citation'],
  events: ['event', 'happening'],
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

/** Profiles of redaction: the fields they withhold, by the type of item. */
const CONTENT: ReadonlyMap<string, readonly string[]> = new Map([
  ['receipt', ['payload.body']],
  ['retrieval', ['payload.body']],
  ['event', ['payload']],
  ['happening', ['data']],
  ['answer', ['text']],
  ['citation', ['content', 'quote', 'note', 'title', 'url']],
]);
const IDENTITY = new Set([
  'actor',
  'agent_id',
  'agentId',
  'principal',
  'passport_id',
  'recorded_by',
  'decidedBy',
  'resolvedBy',
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
  const open = fields.map((field) => ({ field, type: typeOf(field.path, types), steps: field.path.map(String) }));
  const withheld = new Set<Disclosure>();
  for (const { field, type, steps } of open) if (isOfProfile(profiles, type, steps)) withheld.add(field);
  for (const pattern of patterns) {
    const named = open.filter(({ steps }) => fits(pattern, steps));
    if (named.length === 0)
      throw invalid('query.redaction', `${JSON.stringify(pattern.slice(0, 100))} names no field of this export`);
    for (const { field } of named) withheld.add(field);
  }
  if (withheld.size > 0) closeOver(open, withheld);
  return withheld;
}

interface OpenField {
  field: Disclosure;
  type: string | undefined;
  steps: string[];
}

const typeOf = ([first, index]: FieldPath, types: readonly string[]): string | undefined =>
  first === 'items' ? types[Number(index)] : undefined;

function isOfProfile(profiles: ReadonlySet<string>, type: string | undefined, steps: string[]): boolean {
  if (profiles.has('all')) return true;
  if (profiles.has('identity') && steps.some((step) => IDENTITY.has(step))) return true;
  const within = `${steps.slice(2).join('.')}.`;
  return (
    profiles.has('content') &&
    type !== undefined &&
    (CONTENT.get(type) ?? []).some((name) => within.startsWith(`${name}.`))
  );
}

/**
 * A name fits wherever it stands in the path, a dotted one where its parts stand together; list indices may be left
 * out, and * is any one part.
 */
function fits(pattern: string, steps: string[]): boolean {
  const wanted = pattern.split('.');
  const runsIn = (path: string[]) =>
    path.some((_, at) =>
      wanted.every((part, n) => path[at + n] !== undefined && (part === '*' || part === path[at + n])),
    );
  return runsIn(steps) || runsIn(steps.filter((step) => !/^\d+$/.test(step)));
}

const DERIVED_OF_RECEIPT = new Set(['cose', 'receipt_id', 'payload_hash', 'payload.prev', 'payload.body_hash']);
const DERIVED_OF_RETRIEVAL = new Set(['cbor', 'payload.nonce']);
const CORE_OF_EVENT = new Set(['stream_type', 'stream_id', 'seq', 'event_id', 'type', 'occurred_at', 'payload_digest']);
const BLAKE3 = /^blake3:[0-9a-f]{64}$/;

/** docs/formats/export.md, "What else is withheld". Repeated until nothing is added. */
function closeOver(open: readonly OpenField[], withheld: Set<Disclosure>): void {
  for (let before = -1; before !== withheld.size;) {
    before = withheld.size;
    const rules = derivedFrom(open.filter(({ field }) => withheld.has(field)));
    for (const one of open) if (rules.some((follows) => follows(one))) withheld.add(one.field);
  }
}

/** What must not be shown next to what is hidden, rule by rule. */
function derivedFrom(hidden: readonly OpenField[]): ((one: OpenField) => boolean)[] {
  const itemsWith = (type: string, test: (name: string) => boolean) =>
    new Set(hidden.filter((one) => one.type === type && test(nameIn(one))).map(({ steps }) => steps[1]));
  const isPayload = (name: string) => name === 'payload' || name.startsWith('payload.');
  const receipts = itemsWith('receipt', isPayload);
  const retrievals = itemsWith('retrieval', isPayload);
  const payloads = itemsWith('event', isPayload);
  const cores = itemsWith('event', (name) => CORE_OF_EVENT.has(name));
  const digests = digestsOf(hidden);
  const ofType = (type: string, rule: (name: string, item?: string) => boolean) => (one: OpenField) =>
    one.type === type && rule(nameIn(one), one.steps[1]);
  return [
    // Receipts name each other by their digests, so that what reveals one reveals all.
    ofType('receipt', (name) => receipts.size > 0 && DERIVED_OF_RECEIPT.has(name)),
    ofType('retrieval', (name, item) => retrievals.has(item) && DERIVED_OF_RETRIEVAL.has(name)),
    ofType('event', (name, item) => payloads.has(item) && name === 'salt'),
    ofType('event', (name, item) => cores.has(item) && name === 'digest'),
    ofType('receipt', (name) => cores.size > 0 && name === 'payload.body.events_digest'),
    ({ field }) => typeof field.value === 'string' && digests.has(field.value),
  ];
}

/** The path within its item: `payload.actor`. */
const nameIn = ({ steps }: OpenField): string => steps.slice(2).join('.');

/** Ids and digests that are withheld themselves, and the digests of withheld texts: nowhere else may they stand. */
function digestsOf(hidden: readonly OpenField[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { field, steps } of hidden) {
    if (typeof field.value !== 'string') continue;
    if (steps.at(-1) === 'receipt_id' || BLAKE3.test(field.value)) found.add(field.value);
    else found.add(blake3Digest(field.value));
  }
  return found;
}
