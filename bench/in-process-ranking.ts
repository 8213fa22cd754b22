import type { DocumentInput } from '../src/common/client/api-replies.js';
import { analyzerFor } from '../src/search/analysis.js';
import { utcDay } from '../src/search/bm25.js';
import { bindQuery, type QueryTerm, queryTerms, type SegmentView } from '../src/search/collection.js';
import { searchTop } from '../src/search/maxscore.js';
import { openAllPostings, Segment, type SegmentData } from '../src/search/segment.js';
import { analyseGroup, chunkIdsOf } from '../src/modules/knowledge/ingest/analysis/analyse-document.js';
import { documentsOf } from './measures.js';

const LANGUAGE = 'english';
/** Passages asked for, so that a hundred documents come out of them. */
const PASSAGES = 500;
const chunkIdOf = await chunkIdsOf(new Uint8Array(32));

/** Documents, best first, for every query: the product's own chunks, analysis and ranking, without its server. */
export function rankInProcess(documents: readonly DocumentInput[], queries: readonly { text: string }[]): string[][] {
  const today = utcDay(new Date());
  const index = indexInProcess(documents, today);
  if (!index) return queries.map(() => []);
  const { view, docIds } = index;
  return queries.map(({ text }) => {
    const { hits } = searchTop([view], bindQuery([view], termsOf(text), today), PASSAGES);
    return documentsOf(hits.map(({ ordinal }) => ({ docId: docIds[ordinal]! })));
  });
}

/** Documents as the product divides and indexes them, with the document of each chunk; none where there is no text. */
export function indexInProcess(
  documents: readonly DocumentInput[],
  day: number,
): { view: SegmentView; docIds: string[] } | undefined {
  const group = documents.map((document) => ({ ...document, tenantId: 'bench', version: 1, day }));
  const { segment, documents: analysed } = analyseGroup({ language: LANGUAGE, documents: group }, chunkIdOf);
  if (!segment) return undefined;
  const docIds = analysed.flatMap(({ chunks }, i) => chunks.map(() => documents[i]!.docId));
  return { view: openSegment(segment), docIds };
}

export const termsOf = (text: string): QueryTerm[] => queryTerms(analyzerFor(LANGUAGE).analyze(text));

/** A segment in memory with all its postings unpacked, as the server has it once its cache is warm. */
export function openSegment(data: SegmentData): SegmentView {
  const segment = Segment.open(data.header, data.digest);
  return { segment, tombstones: undefined, postings: openAllPostings(segment, data) };
}
