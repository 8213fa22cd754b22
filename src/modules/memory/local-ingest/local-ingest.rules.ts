import { canonicalJson } from '../../../evidence/canonical-json.js';
import { readAll } from '../../../common/fields/read-each.js';
import { invalid } from '../../../common/problem/common-problems.js';
import type { SemanticProfile } from '../../knowledge/ingest/analysis/analysis.types.js';
import type { DirectDocument, VectorCount } from '../../knowledge/ingest/ingest.types.js';
import { CAPS, LocalIngestDocument, type LocalIngestReply, type LocalIngestRequest } from './local-ingest.dto.js';
import { DocumentNotProcessable, LocalIngestTooLarge } from './local-ingest.problems.js';

/** With the tenant's they must fit into one index entry of PostgreSQL (2,704 bytes). */
const MAX_ID_BYTES = 1024;
const MAX_METADATA_BYTES = 64 * 1024;

/**
 * The documents of a call, checked.
 * @throws LocalIngestTooLarge, ValidationFailed, DocumentNotProcessable
 */
export async function documentsOf({
  corpus_id,
  documents,
  semantic_profile,
}: LocalIngestRequest): Promise<DirectDocument[]> {
  if (documents.length > CAPS.max_texts) throw tooLarge('max_texts', `${documents.length} documents were sent`);
  if (Buffer.byteLength(corpus_id) > MAX_ID_BYTES) throw tooLong('body.corpus_id');
  const read = await readAll(LocalIngestDocument, documents, 'body.documents');
  for (const [index, document] of read.entries()) check(document, `body.documents[${index}]`);
  const sizes = read.map(({ text }) => Buffer.byteLength(text));
  const largest = sizes.findIndex((size) => size > CAPS.max_text_bytes);
  if (largest >= 0) throw tooLarge('max_text_bytes', `the text of body.documents[${largest}] has ${sizes[largest]}`);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > CAPS.max_total_text_bytes) throw tooLarge('max_total_text_bytes', `the texts have ${total} together`);
  checkProcessable(read);
  return read.map((document) => toDocument(corpus_id, semantic_profile, document));
}

/** @throws ValidationFailed */
function check(document: LocalIngestDocument, path: string): void {
  if (Buffer.byteLength(document.doc_id) > MAX_ID_BYTES) throw tooLong(`${path}.doc_id`);
  const { metadata } = document;
  for (const name of ['contentType', 'language'])
    if (metadata?.[name] !== undefined)
      throw invalid(`${path}.metadata.${name}`, 'is given by content_type and language of the document');
  if (metadata && canonicalJson(metadata).length > MAX_METADATA_BYTES)
    throw invalid(`${path}.metadata`, `must not be larger than ${MAX_METADATA_BYTES} bytes as JSON`);
}

function checkProcessable(documents: readonly LocalIngestDocument[]): void {
  const places = new Map<string, number>();
  for (const [index, { doc_id, text }] of documents.entries()) {
    const earlier = places.get(doc_id);
    if (earlier !== undefined)
      throw new DocumentNotProcessable(
        { doc_id, index },
        `body.documents[${index}]: the doc_id is that of body.documents[${earlier}] too; send one of them`,
      );
    places.set(doc_id, index);
    if (text.trim() === '')
      throw new DocumentNotProcessable({ doc_id, index }, `body.documents[${index}].text: holds no text; leave it out`);
  }
}

function toDocument(corpusId: string, semanticProfile: SemanticProfile, document: LocalIngestDocument): DirectDocument {
  const { doc_id, title, text, url, shareability, content_type, language, metadata } = document;
  const meant = {
    ...(content_type === undefined ? {} : { contentType: content_type }),
    ...(language === undefined ? {} : { language }),
  };
  const all = { ...metadata, ...meant };
  return {
    corpusId,
    docId: doc_id,
    title,
    url: url ?? null,
    content: text,
    shareability,
    metadata: Object.keys(all).length === 0 ? null : all,
    semanticProfile,
  };
}

/** What the reply says of the vectors of the documents. */
export function denseMembers(
  { passages, vectors, dimension }: VectorCount,
  areVectorsMade: boolean,
): Pick<LocalIngestReply, 'dense_dim' | 'dense_vectors' | 'dense_queued' | 'capability'> {
  return {
    dense_dim: dimension,
    dense_vectors: vectors,
    dense_queued: areVectorsMade ? passages - vectors : 0,
    capability: vectors > 0 && vectors === passages ? 'hybrid' : 'lexical',
  };
}

const tooLarge = (exceeded: keyof typeof CAPS, what: string): LocalIngestTooLarge =>
  new LocalIngestTooLarge(
    { exceeded, ...CAPS },
    `${what}, at most ${CAPS[exceeded]} are taken (${exceeded}); divide the call`,
  );

const tooLong = (path: string) => invalid(path, `must not be longer than ${MAX_ID_BYTES} bytes in UTF-8`);
