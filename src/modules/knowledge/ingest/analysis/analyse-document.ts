import { blake3 } from '../../../../evidence/digest.js';
import { buildSegment, type ChunkInput } from '../../../../search/segment.js';
import { chunkDocument } from '../chunking/chunk-document.js';
import { formatOf } from '../chunking/content-format.js';
import type { AnalysedChunk, AnalysedDocument, AnalysedGroup, AnalysisGroup, AnalysisInput } from './analysis.types.js';

export const NO_TEXT =
  'The document has no readable text: it holds only white space, or only HTML that shows nothing. Send content with text, or delete the document.';

/** Divides a document version into chunks and gives each its hash and id. */
export function analyseDocument(input: AnalysisInput): AnalysedDocument {
  const chunks = chunkDocument(input.content, formatOf(input.content, input.contentType)).map((chunk, ordinal) => {
    const contentHash = hex(blake3(chunk.content));
    return { ...chunk, ordinal, contentHash, chunkId: chunkIdOf(input, ordinal, contentHash) };
  });
  return chunks.length === 0 ? { chunks, error: NO_TEXT } : { chunks };
}

/** Analyses a group and inverts its chunks into one segment. */
export function analyseGroup({ language, documents }: AnalysisGroup): AnalysedGroup {
  const analysed = documents.map(analyseDocument);
  const inputs = analysed.flatMap(({ chunks }, index) => chunks.map((chunk) => toIndexed(documents[index]!, chunk)));
  return inputs.length === 0
    ? { documents: analysed }
    : { documents: analysed, segment: buildSegment(inputs, language) };
}

/** Headings above a chunk that its text does not show are found with its title. */
function toIndexed({ title, day }: AnalysisInput, { chunkId, content, headingPath }: AnalysedChunk): ChunkInput {
  const above = headingPath.filter((heading) => heading !== title && !content.includes(heading));
  return { chunkId, text: content, title: [title, ...above].join('\n'), day };
}

/**
 * The id of a chunk: `chk_` and the first 16 bytes, in hexadecimal, of BLAKE3-256 over the UTF-8 of the JSON array
 * [tenantId, corpusId, docId, version, ordinal, contentHash] without white space (RFC 8785). The same version in
 * another database has the same ids.
 */
export function chunkIdOf(input: AnalysisInput, ordinal: number, contentHash: string): string {
  const { tenantId, corpusId, docId, version } = input;
  return `chk_${hex(blake3(JSON.stringify([tenantId, corpusId, docId, version, ordinal, contentHash]))).slice(0, 32)}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
