import { sqlStateOf } from '../../../common/database/sql-state.js';
import type { SegmentData } from '../../../search/segment.js';
import { AnalysisExhausted } from './analysis/analysis.pool.js';
import type { AnalysedGroup } from './analysis/analysis.types.js';
import type { ChunkShard, RetiredChunks } from './chunks.store.js';
import type { PendingVersion, ShardBatch } from './ingest-indexing.types.js';
import { documentKey } from './ingest.rules.js';

/** One transaction takes at most this many documents, and this much content unless a single document is larger. */
const MAX_SLICE_DOCUMENTS = 500;
const MAX_SLICE_BYTES = 8 * 1024 * 1024;
/** An error that neither the document nor the database caused is tried so many times. */
const MAX_ATTEMPTS = 4;

export const DELETED = 'The document was deleted before this version was indexed.';
export const INTERRUPTED =
  'The worker was lost too many times while it indexed this document. Send the document again; if that fails too, divide it.';

export interface UnfinishedIngest {
  readonly ingestId: string;
  readonly bytes: number;
}

/** Cuts unfinished ingests into slices that are indexed together. */
export function slicesOf(unfinished: readonly UnfinishedIngest[]): string[][] {
  const slices: string[][] = [];
  let bytes = Infinity;
  for (const ingest of unfinished) {
    const last = slices.at(-1);
    bytes += ingest.bytes;
    if (last === undefined || last.length === MAX_SLICE_DOCUMENTS || bytes > MAX_SLICE_BYTES) {
      slices.push([ingest.ingestId]);
      bytes = ingest.bytes;
    } else last.push(ingest.ingestId);
  }
  return slices;
}

export interface PendingPlan {
  /** This version or a later one is in search. */
  readonly done: PendingVersion[];
  readonly deleted: PendingVersion[];
  /** The latest version of each other document; older ones wait to see what becomes of it. */
  readonly next: PendingVersion[];
}

/** Decides what to do with pending versions. */
export function planPending(pending: readonly PendingVersion[]): PendingPlan {
  const done = pending.filter((version) => version.version <= version.currentVersion);
  const deleted = pending.filter((version) => !done.includes(version) && version.version <= version.withdrawnVersion);
  const latest = new Map<string, PendingVersion>();
  for (const version of pending) {
    if (done.includes(version) || deleted.includes(version)) continue;
    const key = documentKey(version);
    const other = latest.get(key);
    if (other === undefined || other.version < version.version) latest.set(key, version);
  }
  return { done, deleted, next: [...latest.values()] };
}

/** Groups versions by shard, in the order in which shards are locked everywhere. */
export function shardBatchesOf(tenantId: string, versions: readonly PendingVersion[]): ShardBatch[] {
  const groups = Map.groupBy(versions, shardKey);
  return [...groups]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, members]) => {
      const { corpusId, shareability, language } = members[0]!;
      return {
        shard: { corpusId, shareability, language },
        versions: members,
        inputs: members.map((version) => ({
          tenantId,
          corpusId,
          docId: version.docId,
          version: version.version,
          title: version.title,
          content: version.content,
          contentType: version.contentType ?? undefined,
          day: version.day,
        })),
      };
    });
}

/** What a transaction does to one shard: chunks out, a segment in. */
export interface ShardChange {
  readonly shard: ChunkShard;
  readonly withdrawn: readonly string[];
  readonly segment: SegmentData | undefined;
}

/** Puts together by shard, in the order in which shards are locked, what goes out and what comes in. */
export function shardChangesOf(
  retired: readonly Pick<RetiredChunks, 'shard' | 'chunkIds'>[],
  batches: readonly ShardBatch[],
  groups: readonly AnalysedGroup[],
): ShardChange[] {
  const changes = new Map<string, ShardChange>();
  for (const { shard, chunkIds } of retired) {
    changes.set(shardKey(shard), { shard, withdrawn: chunkIds, segment: undefined });
  }
  batches.forEach(({ shard }, index) => {
    const withdrawn = changes.get(shardKey(shard))?.withdrawn ?? [];
    changes.set(shardKey(shard), { shard, withdrawn, segment: groups[index]?.segment });
  });
  return [...changes].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, change]) => change);
}

function shardKey({ corpusId, shareability }: ChunkShard): string {
  return JSON.stringify([corpusId, shareability]);
}

/** SQLSTATE classes of permanent errors in the data: data exception, integrity, program limit. */
const FAULTS_OF_DATA = /^(?:22|23|54)/;

/** Why the database holds no such data, or undefined where the error is another. */
export function faultOfData(error: unknown): string | undefined {
  const state = sqlStateOf(error);
  return state !== undefined && FAULTS_OF_DATA.test(state)
    ? `The database refused the document (SQLSTATE ${state}).`
    : undefined;
}

/**
 * Why a document that failed on its own is given up, or undefined when it should be tried again.
 * @param attempt how often its job was tried before
 */
export function reasonToGiveUp(error: unknown, attempt: number): string | undefined {
  if (error instanceof AnalysisExhausted) {
    return 'The document took too much time or memory to analyse. Divide it into smaller documents.';
  }
  const fault = faultOfData(error);
  if (fault !== undefined) return fault;
  return attempt >= MAX_ATTEMPTS
    ? `Indexing failed ${attempt + 1} times; the last error is in the server's log.`
    : undefined;
}
