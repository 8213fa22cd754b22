import type { SubjectSelector } from './erasure.types.js';

/** Parts the kind of a name from the name: as `svc_names_in` has it. */
const SEPARATOR = '\u0001';

const ACTORS = new Set([
  'agent_id',
  'agentId',
  'principal',
  'actor',
  'owner',
  'written_by',
  'recorded_by',
  'requested_by',
  'submitted_by',
  'stored_by',
  'updated_by',
  'declared_by',
  'by_passport',
  'announced_by',
]);

/** Every text of a value and what its objects name, as the SQL function `svc_names_in` lists them. */
export function* namesIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const one of value) yield* namesIn(one);
  else if (isPlain(value)) {
    yield* namesOfObject(value);
    for (const [name, one] of Object.entries(value)) {
      yield name;
      if (typeof one === 'string' && ACTORS.has(name)) yield join('by', one);
      yield* namesIn(one);
    }
  }
}

function* namesOfObject(value: Record<string, unknown>): Generator<string> {
  const text = (...names: string[]): string | undefined => {
    const found = names.map((name) => value[name]).find((one) => one !== undefined);
    return typeof found === 'string' ? found : undefined;
  };
  const named = (kind: string, ...parts: (string | undefined)[]): string[] =>
    parts.every((part) => part !== undefined) ? [join(kind, ...parts)] : [];
  yield* named('entity', text('entity'));
  yield* named('document', text('corpus_id', 'corpusId'), text('doc_id', 'docId'));
  yield* named('node', text('kind'), text('id'));
  yield* named('node', text('from_kind'), text('from_id'));
  yield* named('node', text('to_kind'), text('to_id'));
  yield* named('stream', text('stream_type'), text('stream_id'));
  yield* named('answer', text('answer_id', 'answerId'));
}

const join = (...parts: (string | undefined)[]): string => parts.join(SEPARATOR);

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array);

/** Says of what a record of the log holds whether it is of the subject. */
export function makeMatcher(terms: ReadonlySet<string>, { texts }: Pick<SubjectSelector, 'texts'>) {
  return (value: unknown): boolean => {
    for (const name of namesIn(value)) if (terms.has(name) || texts.some((text) => name.includes(text))) return true;
    return false;
  };
}
