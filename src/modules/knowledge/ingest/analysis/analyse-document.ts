import { blake3, blake3Digest, keyedBlake3 } from '../../../../evidence/digest.js';
import { PassageTree } from '../../../../evidence/passage-tree.js';
import { buildSegment } from '../../../../search/segment.js';
import { chunkDocument } from '../chunking/chunk-document.js';
import { formatOf } from '../chunking/content-format.js';
import type { AnalysedDocument, AnalysedGroup, AnalysisGroup, AnalysisInput } from './analysis.types.js';
import { indexedChunk } from './indexed-chunk.js';

export const NO_TEXT =
  'The document has no readable text: it holds only white space, or only HTML that shows nothing. Send content with text, or delete the document.';

/** Gives a chunk its id by its ordinal and the digest of its text. */
type ChunkIds = (input: AnalysisInput, ordinal: number, contentHash: string) => string;

/** Divides a document version into chunks, gives each its hash and id, and digests what a receipt binds. */
export function analyseDocument(input: AnalysisInput, chunkIdOf: ChunkIds): AnalysedDocument {
  const chunks = chunkDocument(input.content, formatOf(input.content, input.contentType)).map((chunk, ordinal) => {
    const contentHash = hex(blake3(chunk.content));
    return { ...chunk, ordinal, contentHash, chunkId: chunkIdOf(input, ordinal, contentHash) };
  });
  const leaves = chunks.map((chunk) => ({ ...chunk, contentHash: `blake3:${chunk.contentHash}` as const }));
  const digests = { contentHash: blake3Digest(input.content), passagesRoot: new PassageTree(leaves).root };
  return chunks.length === 0 ? { chunks, ...digests, error: NO_TEXT } : { chunks, ...digests };
}

/** Analyses a group and inverts its chunks into one segment. */
export function analyseGroup({ language, documents }: AnalysisGroup, chunkIdOf: ChunkIds): AnalysedGroup {
  const analysed = documents.map((document) => analyseDocument(document, chunkIdOf));
  const inputs = analysed.flatMap(({ chunks }, index) =>
    chunks.map((chunk) => indexedChunk({ ...documents[index]!, ...chunk })),
  );
  return inputs.length === 0
    ? { documents: analysed }
    : { documents: analysed, segment: buildSegment(inputs, language) };
}

/**
 * The id of a chunk: `chk_` and the first 16 bytes, in hexadecimal, of BLAKE3 under the tenant's key over the UTF-8 of
 * the JSON array [tenantId, corpusId, docId, version, ordinal, contentHash] without white space (RFC 8785). Whoever has
 * no key cannot find out by it what the text is.
 */
export async function chunkIdsOf(idKey: Uint8Array): Promise<ChunkIds> {
  const digestOf = await keyedBlake3(idKey);
  return ({ tenantId, corpusId, docId, version }, ordinal, contentHash) =>
    `chk_${hex(digestOf(JSON.stringify([tenantId, corpusId, docId, version, ordinal, contentHash]))).slice(0, 32)}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
