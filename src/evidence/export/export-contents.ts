import { type CborValue, encodeCanonical } from '../cbor.js';
import { blake3, blake3Digest, namedDigest } from '../digest.js';
import { checkBindings } from './export-bindings.js';
import { checkTypes } from './item-types.js';
import { checkFacts } from './fact-contents.js';
import type { OpenExport, OpenItem } from './open-export.js';

/**
 * Texts and events are what their digests say, and those are what the receipts say, as far as both are shown.
 * docs/formats/export.md, step `contents`.
 */
export function checkContents(opened: OpenExport): string {
  const { items, file } = opened;
  const texts = items.filter(({ type }) => type === 'citation' || type === 'answer');
  const events = items.filter(({ type }) => type === 'event');
  for (const item of items) checkTypes(item);
  for (const item of texts) checkTexts(item);
  for (const event of events) checkEvent(event, file.manifest.tenant_id);
  checkNamed(items, texts);
  checkReferences(items);
  const isBound = file.manifest.v === 2 && texts.length > 0;
  const bound = isBound ? `, ${checkBindings(opened)} of them bound to the receipts of their ingest` : '';
  const appends = `${checkAppends(items, events)} appends cover theirs`;
  return `${texts.length} texts${bound}, ${events.length} events; ${appends}${checkFacts(opened)}`;
}

const TEXTS = [
  ['text', 'text_hash'],
  ['content', 'content_hash'],
  ['quote', 'quote_hash'],
  ['note', 'note_hash'],
] as const;

function checkTexts({ index, shown }: OpenItem): void {
  for (const [text, hash] of TEXTS) {
    const [content, digest] = [shown.at(text)?.value, shown.at(hash)?.value];
    if (content === undefined || digest === undefined) continue;
    const made = typeof content === 'string' ? blake3Digest(content) : null;
    if ((content !== null && made === null) || made !== digest)
      throw new Error(`item ${index}: ${hash} is not the digest of its ${text}`);
  }
}

/** docs/formats/segments.md: payload_digest over salt and payload, digest over what the event is. */
function checkEvent({ index, shown }: OpenItem, tenantId: string): void {
  const salt = shown.bytes('salt');
  const payload = shown.at('payload')?.whole();
  const digest = shown.text('payload_digest');
  if (salt !== undefined && payload !== undefined && digest !== undefined) {
    const made = namedDigest('blake3', blake3(Buffer.concat([salt, encodeCanonical(payload)])));
    if (made !== digest) throw new Error(`item ${index}: payload_digest is not that of its payload`);
  }
  const core = { v: 1, tenant_id: tenantId, ...Object.fromEntries(CORE.map((name) => [name, shown.at(name)?.value])) };
  const claimed = shown.text('digest');
  if (claimed === undefined || Object.values(core).some((member) => member === undefined)) return;
  if (blake3Digest(encodeCanonical(core)) !== claimed)
    throw new Error(`item ${index}: digest is not that of the event`);
}
const CORE = ['stream_type', 'stream_id', 'seq', 'event_id', 'type', 'occurred_at', 'payload_digest'] as const;

/** Where all receipts are shown whole, one of them names each text with its digest. */
function checkNamed(items: readonly OpenItem[], texts: readonly OpenItem[]): void {
  const receipts = items.filter(({ type }) => type === 'receipt');
  if (receipts.length === 0 || receipts.some(({ receipt }) => receipt === undefined)) return;
  const said = new Set(receipts.flatMap(({ shown }) => textsIn(shown.at('payload', 'body')?.whole())));
  for (const { index, shown } of texts) {
    for (const name of ['text_hash', 'content_hash'] as const) {
      const digest = shown.text(name);
      if (digest !== undefined && !said.has(digest)) throw new Error(`item ${index}: no receipt names its ${name}`);
    }
  }
}

/** Where a chunk is named by its id and by its reference, one goes with the other. */
function checkReferences(items: readonly OpenItem[]): void {
  const named = new Map<string, string>();
  for (const { type, index, shown } of items) {
    const [id, reference] = [shown.text('chunk_id'), shown.text('chunk_ref')];
    if ((type !== 'citation' && type !== 'finding') || id === undefined || reference === undefined) continue;
    if ((named.get(`id ${id}`) ?? reference) !== reference || (named.get(`ref ${reference}`) ?? id) !== id)
      throw new Error(`item ${index}: chunk_ref is not that of its chunk_id elsewhere`);
    named.set(`id ${id}`, reference).set(`ref ${reference}`, id);
  }
}

function textsIn(value: CborValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.values(value).flatMap((member) => textsIn(member as CborValue));
}

/** A receipt of an append covers its events, where all of them are here. @returns how many do */
function checkAppends(items: readonly OpenItem[], events: readonly OpenItem[]): number {
  const bySeq = new Map(events.map((event) => [event.shown.number('seq'), event.shown.text('digest')] as const));
  let covered = 0;
  for (const { type, shown, index } of items) {
    const [first, count] = [shown.number('payload', 'body', 'first_seq'), shown.number('payload', 'body', 'count')];
    const claimed = shown.text('payload', 'body', 'events_digest');
    if (type !== 'receipt' || first === undefined || count === undefined || claimed === undefined) continue;
    if (count > events.length) continue;
    const digests = Array.from({ length: count }, (_, n) => bySeq.get(first + n));
    if (digests.some((digest) => digest === undefined)) continue;
    const bytes = digests.map((digest) => Buffer.from(digest!.slice('blake3:'.length), 'hex'));
    if (namedDigest('blake3', blake3(Buffer.concat(bytes))) !== claimed)
      throw new Error(`item ${index}: events_digest is not that of the events`);
    covered++;
  }
  return covered;
}
