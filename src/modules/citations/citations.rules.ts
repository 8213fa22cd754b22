import type { Issue } from '../../common/problem/house-problems.js';
import type { CitationRequest, ResolvedCitation, VisibleChunk } from './citations.types.js';

export interface Resolution {
  citations: ResolvedCitation[];
  issues: Issue[];
}

/** Holds every citation against the text it cites; each that does not fit is an issue under `body.citations[i]`. */
export function resolveCitations(
  requests: readonly CitationRequest[],
  chunks: ReadonlyMap<string, VisibleChunk>,
): Resolution {
  const resolution: Resolution = { citations: [], issues: [] };
  requests.forEach((request, index) => {
    const found = resolveOne(request, chunks.get(request.chunkId));
    if ('member' in found) {
      resolution.issues.push({ path: `body.citations[${index}].${found.member}`, message: found.message });
    } else {
      resolution.citations.push(found);
    }
  });
  return resolution;
}

interface Fault {
  member: 'chunkId' | 'quote' | 'start' | 'end';
  message: string;
}

function resolveOne(request: CitationRequest, chunk: VisibleChunk | undefined): ResolvedCitation | Fault {
  if (!chunk) {
    const message = `names no passage this tenant can see: ${shorten(request.chunkId)}. Cite a chunkId that a retrieval returned`;
    return { member: 'chunkId', message };
  }
  const range = rangeOf(request, chunk.content);
  if ('member' in range) return range;
  return { chunk, ...range, note: request.note ?? null };
}

type Range = Pick<ResolvedCitation, 'start' | 'end' | 'quote'>;

function rangeOf({ quote, start, end }: CitationRequest, content: string): Range | Fault {
  if (start === undefined && end === undefined) return quote === undefined ? WHOLE : locate(quote, content);
  if (start === undefined) return { member: 'start', message: 'is needed where end is given' };
  if (end === undefined) return { member: 'end', message: 'is needed where start is given' };
  if (end <= start) return { member: 'end', message: 'must be greater than start' };
  if (end > content.length) {
    return { member: 'end', message: `is beyond the passage, which has ${content.length} UTF-16 code units` };
  }
  const slice = content.slice(start, end);
  if (!slice.isWellFormed()) return { member: 'start', message: 'start and end must not divide a character' };
  if (quote !== undefined && quote !== slice) {
    return { member: 'quote', message: `is not what stands from start to end; that is ${shorten(slice)}` };
  }
  return { start, end, quote: slice };
}

const WHOLE: Range = { start: null, end: null, quote: null };

/** Where the quote first occurs. Compared exactly: a quote that was reworded or re-spaced proves nothing. */
function locate(quote: string, content: string): Range | Fault {
  const start = content.indexOf(quote);
  if (start < 0) {
    return { member: 'quote', message: 'does not occur in the passage; quote it exactly, or leave quote out' };
  }
  return { start, end: start + quote.length, quote };
}

function shorten(text: string): string {
  return JSON.stringify(text.length <= 80 ? text : `${text.slice(0, 80).toWellFormed()}…`);
}
