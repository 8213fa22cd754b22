import { type Checkpoint, parseCheckpoint } from '../../evidence/checkpoint.js';
import { parseCose, verifyCose } from '../../evidence/cose.js';
import { blake3 } from '../../evidence/digest.js';
import { openEpoch } from '../../evidence/log-epoch.js';
import { logLeafHash } from '../../evidence/log-entry.js';
import { appendLeaves, hashOfRange, TileSet } from '../../evidence/tiles.js';
import type { Query } from '../tenancy/cross-tenant.js';
import type { KnownKey } from './known-keys.js';
import { readEpochs, type StoredEpoch } from './log-epochs.js';

/** The log of an epoch that ended, put together again from the leaves that it has in the present one. */
class PastLog {
  private readonly tiles = new TileSet();
  private size = 0;

  /** @param start of its leaf 0, in the present log: one record for each epoch since */
  constructor(
    private readonly start: number,
    private readonly end: Checkpoint,
  ) {}

  add(first: number, hashes: readonly Uint8Array[]): void {
    const from = Math.max(0, this.start + this.size - first);
    const own = hashes.slice(from, from + this.end.size - this.size);
    if (own.length === 0) return;
    appendLeaves(this.size, own, this.tiles);
    this.size += own.length;
  }

  findFault(isWaiting: boolean): string | undefined {
    const { origin, size, root } = this.end;
    if (this.size < size) return isWaiting ? undefined : `${size - this.size} leaves of ${origin} are not in the log`;
    const isSame = Buffer.compare(hashOfRange({ start: 0, end: size }, this.tiles), root) === 0;
    return isSame ? undefined : `the leaves of ${origin} are not those that its checkpoint of ${size} leaves had`;
  }
}

/** Checks while the leaves of the log are read that it has begun as its epochs say, and that it has those before. */
export class EpochAudit {
  private readonly past: PastLog[];
  private first: Uint8Array | undefined;

  private constructor(private readonly epochs: readonly StoredEpoch[]) {
    this.past = epochs.flatMap(({ restored }, n) =>
      restored === null ? [] : [new PastLog(epochs.length - n, parseCheckpoint(restored))],
    );
  }

  static async open(query: Query): Promise<EpochAudit> {
    return new EpochAudit(await readEpochs(query));
  }

  /** The next leaves of the log, by their hashes. */
  add(start: number, hashes: readonly Uint8Array[]): void {
    if (start === 0) [this.first] = hashes;
    for (const log of this.past) log.add(start, hashes);
  }

  async findFaults(query: Query, keys: readonly KnownKey[]): Promise<string[]> {
    const newest = this.epochs.at(-1);
    // Entered by a restore, and not begun yet.
    if (!newest || (!newest.record && !this.first)) return [];
    const [row] = await query<{ waiting: boolean }>(
      'select exists (select from log_pending where pending_id < 0) as waiting',
    );
    const found = this.past.map((log) => log.findFault(row?.waiting === true));
    return [await this.findRecordFault(query, newest, keys), ...found].filter((fault) => fault !== undefined);
  }

  private async findRecordFault(
    query: Query,
    { origin, record }: StoredEpoch,
    keys: readonly KnownKey[],
  ): Promise<string | undefined> {
    if (!record) return undefined;
    const [head] = await query<{ origin: string }>('select origin from log_head');
    const leaf = logLeafHash('execution', blake3(record));
    if (!this.first || Buffer.compare(leaf, this.first) !== 0) return `leaf 0 is not the record that begins ${origin}`;
    try {
      const epoch = openEpoch(record);
      const key = keys.find(({ key: { kid } }) => kid === epoch.receipt.kid)?.key;
      if (!key || !verifyCose(parseCose(record), key)) return `no known key signed the record that begins ${origin}`;
      return epoch.origin === origin && head?.origin === origin
        ? undefined
        : `the log is ${head?.origin}, and its record begins ${epoch.origin}`;
    } catch (error) {
      return `the record that begins ${origin} cannot be read: ${(error as Error).message}`;
    }
  }
}
