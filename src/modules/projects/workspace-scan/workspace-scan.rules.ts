import type { FoundFile, LeftOut, LeftOutReason } from './workspace-scan.types.js';

/** What is looked at of a workspace, so that no folder holds the server up. */
export const SCAN_LIMITS = {
  files: 200_000,
  depth: 64,
  /** UTF-8 bytes of a path: it is part of a key. */
  pathBytes: 1_000,
  /** Bytes of a file that is looked through for symbols. */
  symbolFileBytes: 1024 * 1024,
  symbolsOfFile: 2_000,
  symbols: 2_000_000,
} as const;

/** Paths that are shown for a reason. */
const MAX_EXAMPLES = 5;
const BATCH_FILES = 200;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Counts what is left out. */
export class LeftOutList {
  private readonly reasons: Map<LeftOutReason, LeftOut>;

  /** @param known what was counted before */
  constructor(known: readonly LeftOut[] = []) {
    this.reasons = new Map(known.map((one) => [one.reason, one]));
  }

  add(reason: LeftOutReason, path: string): void {
    const known = this.reasons.get(reason) ?? { reason, count: 0, examples: [] };
    this.reasons.set(reason, known);
    known.count += 1;
    if (known.examples.length < MAX_EXAMPLES) known.examples.push(path);
  }

  /** By reason. */
  list(): LeftOut[] {
    return [...this.reasons.values()].sort((a, b) => (a.reason < b.reason ? -1 : 1));
  }
}

/** Whether a name can be stored and read back: no part of it was lost, and it fits into a key. */
export const isUsablePath = (path: string): boolean =>
  path.isWellFormed() && !path.includes('\uFFFD') && Buffer.byteLength(path) <= SCAN_LIMITS.pathBytes;

/** Files in their order, as many as are handed to a thread at once. */
export function* batchesOf(files: readonly FoundFile[]): Generator<FoundFile[]> {
  let batch: FoundFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length >= BATCH_FILES || (batch.length > 0 && bytes + file.bytes > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += Math.min(file.bytes, SCAN_LIMITS.symbolFileBytes);
  }
  if (batch.length > 0) yield batch;
}
