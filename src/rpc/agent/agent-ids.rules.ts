import { isUuid } from '../../common/ids/uuid-form.js';

/** What an id that a tool gave out names. */
export const ID_KINDS = [
  'passage',
  'document',
  'fact',
  'answer',
  'receipt',
  'retrieval',
  'proof',
  'watch',
  'work',
  'node',
] as const;
export type IdKind = (typeof ID_KINDS)[number];

/** What every tool gives out and takes: `fact:0198...`; of passages and documents the id alone says what it is. */
export const idOf = (kind: IdKind, id: string): string =>
  kind === 'passage' || (kind === 'document' && readId(id).kind === 'document') ? id : `${kind}:${id}`;

const KINDS: readonly string[] = ID_KINDS;
/** As ingest makes them. */
const CHUNK = /^chk_[0-9a-f]{32}$/;

/**
 * Reads an id. One without its kind is what its form says: a passage, a receipt of retrievals (`blake3:<hex>`), a
 * document (`corpus/doc`); of a UUID it is not known.
 * @returns kind undefined where the form does not say
 */
export function readId(text: string): { kind: IdKind | undefined; id: string } {
  const [, kind = '', id = ''] = /^([a-z0-9]+):(.+)$/s.exec(text) ?? [];
  if (KINDS.includes(kind)) return { kind: kind as IdKind, id };
  if (kind === 'blake3') return { kind: 'receipt', id: text };
  if (CHUNK.test(text)) return { kind: 'passage', id: text };
  if (isUuid(text)) return { kind: undefined, id: text };
  return { kind: text.includes('/') ? 'document' : undefined, id: text };
}

/** Kinds that are looked up in turn for an id without its kind: only answers have ids that are no UUID. */
export function kindsToTry(id: string): readonly ('fact' | 'answer' | 'work')[] {
  if (isUuid(id)) return ['fact', 'answer', 'work'];
  return id.includes(':') ? [] : ['answer'];
}
