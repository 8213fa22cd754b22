import { Injectable } from '@nestjs/common';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { parseCheckpoint } from '../../evidence/checkpoint.js';
import { type Digest, namedDigest } from '../../evidence/digest.js';
import { ReceiptNotLogged } from './evidence-log.problems.js';
import { LogReader, type PublishedHead } from './log-reader.js';
import type { LogPosition, PackConsistency } from '../../evidence/pack-format.js';

/** The log's head, where each of the records stands under it, and that it extends earlier heads. */
export interface LogProof {
  readonly head: PublishedHead;
  /** In the order of the records. */
  readonly positions: readonly LogPosition[];
  readonly consistency: readonly PackConsistency[];
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
   * @throws ReceiptNotLogged; Error for an earlier checkpoint that cannot be read, or that is of a larger log
   */
  prove(
    records: readonly { receiptId: string; digest: Uint8Array }[],
    earlier: readonly string[] = [],
  ): Promise<LogProof> {
    return this.crossTenant.run('read log', async (query) => {
      const log = new LogReader(query);
      const head = await log.findHead();
      if (head === undefined) throw notLogged(records[0]?.receiptId ?? '');
      const leaves = await log.findLeaves(records.map(({ digest }) => digest));
      const indices = records.map(({ receiptId, digest }) => {
        const leaf = leaves.get(Buffer.from(digest).toString('hex'));
        if (leaf === undefined || leaf >= head.size) throw notLogged(receiptId);
        return leaf;
      });
      const paths = await log.proveInclusion(indices, head.size);
      const positions = indices.map((leaf_index, n) => ({ leaf_index, path: (paths[n] ?? []).map(asDigest) }));
      const consistency: PackConsistency[] = [];
      for (const checkpoint of earlier) {
        const path = await log.proveConsistency(parseCheckpoint(checkpoint).size, head.size);
        consistency.push({ checkpoint, path: path.map(asDigest) });
      }
      return { head, positions, consistency };
    });
  }
}

export const notLogged = (receiptId: string): ReceiptNotLogged =>
  new ReceiptNotLogged({ receiptId, retryAfterSec: 1 }, 'Ask again once the request that made the receipt has ended.');

const asDigest = (hash: Uint8Array): Digest => namedDigest('sha256', hash);
