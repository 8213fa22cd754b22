import { Injectable } from '@nestjs/common';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { parseCheckpoint } from '../../evidence/checkpoint.js';
import { type Digest, namedDigest } from '../../evidence/digest.js';
import { ReceiptNotLogged } from './evidence-log.problems.js';
import { LogReader, type PublishedHead } from './log-reader.js';
import { stampedText } from '../../evidence/file-timestamps.js';
import { type KeptTimestamp, TimestampsStore } from './timestamps.store.js';
import type { EpochRecord, LogPosition, PackConsistency } from '../../evidence/pack-format.js';

/** A head of the log, where each of the records stands under it, and that it extends earlier heads. */
export interface LogProof {
  readonly head: PublishedHead;
  /** How the log began, where it began with a receipt. */
  readonly epoch: EpochRecord | null;
  /** In the order of the records. */
  readonly positions: readonly LogPosition[];
  readonly consistency: readonly PackConsistency[];
  /** Where they were asked for: of checkpoints that are here. */
  readonly timestamps: readonly KeptTimestamp[];
}

/**
 * Proves by the stored log what files of evidence carry: inclusion of records, and consistency with checkpoints handed
 * out before.
 */
@Injectable()
export class LogProofs {
  constructor(private readonly crossTenant: CrossTenant) {}

  /**
   * By the operator's connections, so that a unit of work never waits for a second one of its own kind.
   * @throws ReceiptNotLogged; Error for an earlier checkpoint that cannot be read, or that is of a larger log of this
   * epoch
   */
  prove(
    records: readonly { receiptId: string; digest: Uint8Array }[],
    earlier: readonly string[] = [],
    { isStamped = false } = {},
  ): Promise<LogProof> {
    return this.crossTenant.run('read log', async (query) => {
      const log = new LogReader(query);
      const heads = await log.findHeads();
      const leaves = await log.findLeaves(records.map(({ digest }) => digest));
      const indices = records.map(({ receiptId, digest }) => {
        const leaf = leaves.get(Buffer.from(digest).toString('hex'));
        if (leaf === undefined) throw notLogged(receiptId);
        return leaf;
      });
      const sizes = [...indices.map((leaf) => leaf + 1), ...earlier.map((text) => parseCheckpoint(text).size)];
      const head = preferCosigned(heads, Math.max(...sizes));
      const late = indices.findIndex((leaf) => head === undefined || leaf >= head.size);
      if (head === undefined || late >= 0) throw notLogged(records[late]?.receiptId ?? '');
      const paths = await log.proveInclusion(head.epoch ? [...indices, 0] : indices, head.size);
      const positions = indices.map((leaf_index, n) => ({ leaf_index, path: (paths[n] ?? []).map(asDigest) }));
      const consistency: PackConsistency[] = [];
      const { origin } = parseCheckpoint(head.checkpoint);
      const timestamps = isStamped ? await new TimestampsStore(query).findFor(origin, head.size, indices) : [];
      const known = new Set([head.checkpoint, ...earlier].map((text) => stampedText(parseCheckpoint(text), text)));
      const stamped = timestamps.map(({ checkpoint }) => checkpoint).filter((text) => !known.has(text));
      for (const checkpoint of [...earlier, ...stamped]) {
        const old = parseCheckpoint(checkpoint);
        // No path leads from one epoch to the next: the record of the epoch names what it follows.
        const path = old.origin === origin ? await log.proveConsistency(old.size, head.size) : [];
        consistency.push({ checkpoint, path: path.map(asDigest) });
      }
      return { head, epoch: epochRecord(head, paths.at(-1)), positions, consistency, timestamps };
    });
  }
}

const epochRecord = ({ epoch }: PublishedHead, path: readonly Uint8Array[] = []): EpochRecord | null =>
  epoch && { cose: Buffer.from(epoch).toString('base64'), path: path.map(asDigest) };

/** Of the heads, the newest first, the last that has so many leaves: it is the one that witnesses have signed. */
const preferCosigned = (heads: readonly PublishedHead[], leaves: number): PublishedHead | undefined =>
  heads.findLast(({ size }) => size >= leaves) ?? heads[0];

export const notLogged = (receiptId: string): ReceiptNotLogged =>
  new ReceiptNotLogged({ receiptId, retryAfterSec: 1 }, 'Ask again once the request that made the receipt has ended.');

const asDigest = (hash: Uint8Array): Digest => namedDigest('sha256', hash);
