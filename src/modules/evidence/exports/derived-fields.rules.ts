import { blake3Digest, sha256Digest } from '../../../evidence/digest.js';
import { BOUND_MEMBERS } from '../../../evidence/fact-leaf.js';
import type { Disclosure } from '../../../evidence/export/export-format.js';

/** A field of an export, and where it stands. */
export interface OpenField {
  readonly field: Disclosure;
  /** The type of its item; undefined of a field of the export itself. */
  readonly type: string | undefined;
  /** Its path as text. */
  readonly steps: readonly string[];
  /** The path within its item: `payload.actor`. */
  readonly name: string;
}

/** Whether a name is that of a member, or of what is below it. */
export const isWithin = (name: string, member: string): boolean =>
  name.startsWith(member) && (name.length === member.length || name[member.length] === '.');

/** Where each type of item says what happened. */
const STATEMENTS: ReadonlyMap<string, string> = new Map([
  ['receipt', 'payload.body'],
  ['retrieval', 'payload.body'],
  ['happening', 'data'],
]);
/** What follows from a text, in its item. Digests are those of the text as it came, also where it was changed since. */
const DERIVED_OF_TEXT: Readonly<Record<string, readonly string[]>> = {
  text: ['text_hash'],
  content: ['content_hash', 'chunk_id', 'start', 'end', 'binding'],
  quote: ['quote_hash', 'start', 'end'],
  note: ['note_hash'],
};
const DERIVED_OF_RECEIPT = new Set(['cose', 'receipt_id', 'payload_hash', 'payload.prev', 'payload.body_hash']);
const DERIVED_OF_RETRIEVAL = new Set(['cbor', 'payload.nonce']);
const LEAF_OF_FACT: ReadonlySet<string> = new Set([...BOUND_MEMBERS, 'sources_digest']);
const CORE_OF_EVENT = new Set(['stream_type', 'stream_id', 'seq', 'event_id', 'type', 'occurred_at', 'payload_digest']);
/** Digests that are over 16 random bytes: nobody can test a guess by them. */
const SALTED: ReadonlySet<string> = new Set([
  'retrieval receipt_id',
  'receipt payload.body.events_digest',
  'receipt payload.body.retrieval_receipt_id',
  'event payload_digest',
  'event digest',
]);
/** Names of digests of one text, which are withheld with that text. */
const OF_TEXTS = new Set(['answer_hash', 'content_hash', 'note_hash', 'quote_hash', 'text_hash']);
/** BLAKE3 or SHA-256, with or without their name. */
const DIGEST = /^(?:(?:blake3|sha256):)?[0-9a-f]{64}$/;
/** UUID of version 8 (RFC 9562): no other id of this server is one. */
const RECEIPT_ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g;
const RECEIPT_ID_ALONE = new RegExp(`^${RECEIPT_ID.source}$`);
const CHUNK_ID = /\bchk_[0-9a-f]{32}\b/g;
const CHUNK_ID_ALONE = new RegExp(`^${CHUNK_ID.source}$`);
/** Of an answer and of a citation what is not shown where nothing can be held against it. */
const UNCHECKED = new Set(['text', 'text_hash', 'content']);
/** By what an answer and its citations are held against its receipt; with a binding, against those of the document. */
const ANSWERED_BY = ['answer_id', 'version'];
const CITED_BY = [...ANSWERED_BY, 'ordinal', 'chunk_id', 'content_hash', 'binding'];
const BOUND_BY = ['corpus_id', 'doc_id', 'doc_version'];

type Rule = (one: OpenField) => boolean;

/** Withholds what would reveal what is withheld. docs/formats/export.md, "What else is withheld". */
export function closeOver(open: readonly OpenField[], withheld: Set<Disclosure>): void {
  const named = open.filter(({ field }) => withheld.has(field));
  const values = new Set<string>();
  const withhold = (rules: readonly Rule[]): OpenField[] => {
    const found = open.filter((one) => !withheld.has(one.field) && rules.some((follows) => follows(one)));
    for (const { field } of found) withheld.add(field);
    return found;
  };
  let fresh = [...named, ...withhold([...ofTexts(named, open), ...ofStatements(named)])];
  const hidden: OpenField[] = [];
  while (fresh.length > 0) {
    hidden.push(...fresh);
    for (const one of fresh) for (const value of withDigests(one)) values.add(value);
    fresh = withhold([...ofRecords(hidden), ...ofEvents(hidden), ...ofFacts(hidden), standsIn(values)]);
  }
  for (const { field } of uncheckedTexts(open, withheld)) withheld.add(field);
}

/**
 * Texts that nothing could be held against any more: no verifier takes an export that shows them next to all
 * receipts. Nobody asked for them to be withheld, so nothing follows from that.
 */
function uncheckedTexts(open: readonly OpenField[], withheld: ReadonlySet<Disclosure>): OpenField[] {
  const records = open.filter((one) => one.type === 'receipt' && one.name === 'cose');
  if (records.length === 0 || records.some(({ field }) => withheld.has(field))) return [];
  const unbound = itemsWith(
    open.filter(({ field }) => field.value === null),
    'citation',
    (name) => name === 'binding',
  );
  const isHeldBy = ({ type, name, steps }: OpenField): boolean =>
    type === 'answer'
      ? ANSWERED_BY.includes(name)
      : CITED_BY.some((member) => isWithin(name, member)) || (BOUND_BY.includes(name) && !unbound.has(steps[1]!));
  const hidden = open.filter((one) => withheld.has(one.field) && isHeldBy(one));
  return ['answer', 'citation'].flatMap((type) => {
    const unchecked = itemsWith(hidden, type, () => true);
    return open.filter((one) => one.type === type && unchecked.has(one.steps[1]!) && UNCHECKED.has(one.name));
  });
}

const ofType =
  (type: string, follows: (name: string, item: string) => boolean): Rule =>
  (one) =>
    one.type === type && follows(one.name, one.steps[1]!);

function itemsWith(hidden: readonly OpenField[], type: string, test: (name: string) => boolean): Set<string> {
  return new Set(hidden.filter((one) => one.type === type && test(one.name)).map(({ steps }) => steps[1]!));
}

/** Of a citation or an answer: what is derived from its text, any name in it that is a digest, and those in records. */
function ofTexts(named: readonly OpenField[], open: readonly OpenField[]): Rule[] {
  const withContent = itemsWith(open, 'citation', (name) => name === 'content');
  const rules = ['answer', 'citation'].flatMap((type) =>
    Object.entries(DERIVED_OF_TEXT).map(([text, derived]): Rule => {
      const items = itemsWith(named, type, (name) => name === text || name === `${text}_hash`);
      // A citation without its text goes with the others: its digest and its id are there all the same.
      const isOfItems = (item: string) =>
        items.has(item) || (text === 'content' && items.size > 0 && !withContent.has(item));
      const follows = (one: OpenField) =>
        derived.some((member) => isWithin(one.name, member)) || (text === 'content' && isDigest(one));
      return (one) => one.type === type && isOfItems(one.steps[1]!) && follows(one);
    }),
  );
  const isText = (one: OpenField) =>
    (one.type === 'answer' || one.type === 'citation') && Object.hasOwn(DERIVED_OF_TEXT, one.name);
  return named.some(isText) ? [...rules, (one) => STATEMENTS.has(one.type ?? '') && isDigest(one)] : rules;
}

/** Of what a record or an event says: the digests next to it, other than those of texts, for they may be over it. */
function ofStatements(named: readonly OpenField[]): Rule[] {
  const ofStatement = ([type, member]: [string, string]): Rule => {
    const items = itemsWith(named, type, (name) => isWithin(name, member));
    return (one) => one.type === type && items.has(one.steps[1]!) && isDigest(one) && !OF_TEXTS.has(one.steps.at(-1)!);
  };
  return [...STATEMENTS].map(ofStatement);
}

/** Receipts name each other by their digests, so that what reveals one reveals all. */
function ofRecords(hidden: readonly OpenField[]): Rule[] {
  const isPayload = (name: string) => isWithin(name, 'payload');
  const retrievals = itemsWith(hidden, 'retrieval', isPayload);
  const ofRetrieval = ofType('retrieval', (name, item) => retrievals.has(item) && DERIVED_OF_RETRIEVAL.has(name));
  if (itemsWith(hidden, 'receipt', isPayload).size === 0) return [ofRetrieval];
  return [
    ofRetrieval,
    ofType('receipt', (name) => DERIVED_OF_RECEIPT.has(name)),
    (one) => idsIn(one, RECEIPT_ID, RECEIPT_ID_ALONE).length > 0,
  ];
}

function ofEvents(hidden: readonly OpenField[]): Rule[] {
  const payloads = itemsWith(hidden, 'event', (name) => isWithin(name, 'payload'));
  const cores = itemsWith(hidden, 'event', (name) => CORE_OF_EVENT.has(name));
  return [
    ofType('event', (name, item) => payloads.has(item) && name === 'salt'),
    (one) => one.type === 'event' && payloads.has(one.steps[1]!) && isDigest(one),
    ofType('event', (name, item) => cores.has(item) && name === 'digest'),
    ofType('receipt', (name) => cores.size > 0 && name === 'payload.body.events_digest'),
  ];
}

/** The id keeps the leaf from being guessed; without the whole binding nothing is to be checked. */
function ofFacts(hidden: readonly OpenField[]): Rule[] {
  const bound = itemsWith(hidden, 'fact', (name) => LEAF_OF_FACT.has(name));
  const bindings = itemsWith(hidden, 'fact', (name) => isWithin(name, 'binding'));
  return [
    ofType('fact', (name, item) => bound.has(item) && name === 'fact_id'),
    ofType('fact', (name, item) => bindings.has(item) && isWithin(name, 'binding')),
  ];
}

const standsIn =
  (values: ReadonlySet<string>): Rule =>
  (one) =>
    (typeof one.field.value === 'string' && values.has(one.field.value)) ||
    [...idsIn(one, RECEIPT_ID, RECEIPT_ID_ALONE), ...idsIn(one, CHUNK_ID, CHUNK_ID_ALONE)].some((id) => values.has(id));

/** Ids in a field: sentences of a statement name them too, and elsewhere a text with one in it is somebody's own. */
function idsIn({ type, field: { value } }: OpenField, within: RegExp, alone: RegExp): string[] {
  if (typeof value !== 'string') return [];
  if (STATEMENTS.has(type ?? '')) return value.match(within) ?? [];
  return alone.test(value) ? [value] : [];
}

/** Of a withheld field what stands nowhere else: an id or digest itself, and the digests of a text. */
function withDigests({ field: { value }, steps }: OpenField): string[] {
  if (typeof value !== 'string') return [];
  const name = steps.at(-1);
  if (
    name === 'receipt_id' ||
    name === 'chunk_id' ||
    name === 'fact_id' ||
    DIGEST.test(value) ||
    CHUNK_ID_ALONE.test(value)
  )
    return [value];
  const digests = [blake3Digest(value), sha256Digest(value)];
  return [...digests, ...digests.map((digest) => digest.slice(digest.indexOf(':') + 1))];
}

function isDigest(one: OpenField): boolean {
  const { value } = one.field;
  const hasForm =
    value instanceof Uint8Array ? value.length >= DIGEST_BYTES : typeof value === 'string' && DIGEST.test(value);
  return hasForm && !SALTED.has(`${one.type} ${one.name}`);
}
const DIGEST_BYTES = 32;
