/** What is scored of a segment: by the ordinals of its chunks, and longer than it has chunks. */
export interface ScoreColumns {
  readonly matched: Uint8Array;
  readonly scores: Float64Array;
  readonly lexical: Float64Array;
}

const BYTES_A_CHUNK = 1 + 2 * 8;
/** Kept for later searches, at most. */
const MAX_FREE_BYTES = 32 * 1024 * 1024;

/** By how many chunks they are for, a power of two. */
const free = new Map<number, ScoreColumns[]>();
let freeBytes = 0;

/**
 * Columns of zeros for a segment. Those of 100,000 chunks take 2.2 MB: allocated for each search, they make the garbage
 * collector go through all that is in memory again and again.
 */
export function takeColumns(chunkCount: number): ScoreColumns {
  const size = 2 ** Math.ceil(Math.log2(Math.max(chunkCount, 1)));
  const used = free.get(size)?.pop();
  if (!used) return columnsOf(size);
  freeBytes -= size * BYTES_A_CHUNK;
  for (const column of [used.matched, used.scores, used.lexical]) column.fill(0, 0, chunkCount);
  return used;
}

/** Gives columns back that nobody reads any more. */
export function giveBackColumns(columns: ScoreColumns): void {
  const size = columns.matched.length;
  if (freeBytes + size * BYTES_A_CHUNK > MAX_FREE_BYTES) return;
  freeBytes += size * BYTES_A_CHUNK;
  const same = free.get(size);
  if (same) same.push(columns);
  else free.set(size, [columns]);
}

function columnsOf(size: number): ScoreColumns {
  return {
    matched: new Uint8Array(size),
    scores: new Float64Array(size),
    lexical: new Float64Array(size),
  };
}
