import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { base64 } from '../../../evidence/base64.js';
import { parseCheckpoint } from '../../../evidence/checkpoint.js';
import { digestBytes, namedDigest } from '../../../evidence/digest.js';
import { readEpochs } from '../../../common/evidence-log/log-epochs.js';
import { KnownKeys } from '../../../common/evidence-log/known-keys.js';
import { publishedKeys } from '../../../common/evidence-log/published-keys.js';
import { LogReader, type PublishedHead } from '../../../common/evidence-log/log-reader.js';
import { noteVerifierKey } from '../../../evidence/signed-note.js';
import { parseTilePath } from '../../../evidence/tiles.js';
import { invalid, ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type {
  ConsistencyProof,
  ConsistencyQuery,
  InclusionProof,
  InclusionQuery,
  LogEpochs,
  SigningKeys,
} from './public-log.dto.js';
import { LeafUnknown, TileUnknown } from './public-log.problems.js';

/** The public face of the log and its keys. Reads tables without tenant data only. */
@Injectable()
export class PublicLogService {
  private readonly log: LogReader;

  constructor(
    private readonly tenancy: Tenancy,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly knownKeys: KnownKeys,
  ) {
    this.log = new LogReader((sql, parameters) => tenancy.call(sql, parameters));
  }

  async checkpoint(): Promise<string> {
    return (await this.readHead()).checkpoint;
  }

  /** @throws TileUnknown for malformed paths too: nothing is there */
  async tile(path: string): Promise<Uint8Array> {
    const wanted = parseTilePath(path);
    const bytes = wanted && (await this.log.findTile(wanted));
    if (bytes === undefined) {
      throw new TileUnknown({ path }, 'Ask for the tiles that the size in /tlog/checkpoint calls for.');
    }
    return bytes;
  }

  async proveInclusion(query: InclusionQuery): Promise<InclusionProof> {
    const head = await this.readHead();
    const leaf = await this.findLeaf(query);
    const size = query.size ?? head.size;
    expectPublished(size, head, 'query.size');
    if (leaf === undefined || leaf >= size) {
      throw new LeafUnknown(
        {},
        `No such leaf in the tree of ${size} leaves; new records take a moment to be integrated.`,
      );
    }
    const [path = []] = await this.log.proveInclusion([leaf], size);
    return { leaf_index: leaf, tree_size: size, path: path.map(asText), checkpoint: head.checkpoint };
  }

  async proveConsistency({ from, to }: ConsistencyQuery): Promise<ConsistencyProof> {
    const head = await this.readHead();
    const newer = to ?? head.size;
    expectPublished(newer, head, 'query.to');
    if (from > newer) throw invalid('query.from', `must not be greater than ${newer}, the size of the newer tree`);
    const path = await this.log.proveConsistency(from, newer);
    return { from, to: newer, path: path.map(asText), checkpoint: head.checkpoint };
  }

  async epochs(): Promise<LogEpochs> {
    const head = await this.readHead();
    const stored = await readEpochs((sql, parameters) => this.tenancy.call(sql, parameters));
    const epochs = stored.map(({ epoch, origin, previousOrigin, record }, n) => {
      const next = stored[n + 1];
      const checkpoint = next ? (next.lastKnown ?? next.restored!) : head.checkpoint;
      return { epoch, origin, previous_origin: previousOrigin, record: record && base64(record), checkpoint };
    });
    return { epochs };
  }

  async signingKeys(): Promise<SigningKeys> {
    const view = await this.knownKeys.view((sql, parameters) => this.tenancy.call(sql, parameters));
    const head = await this.log.findHead();
    const signers = view.known.filter(({ terms }) => terms.has('log'));
    const origin = head ? parseCheckpoint(head.checkpoint).origin : this.settings.evidence.logOrigin;
    return {
      keys: publishedKeys(view),
      log: { origin, verifier_keys: signers.map(({ key }) => noteVerifierKey(origin, key.bytes)) },
    };
  }

  private async findLeaf({ record, leaf }: InclusionQuery): Promise<number | undefined> {
    if ((record === undefined) === (leaf === undefined)) throw invalid('query', 'give either record or leaf');
    if (record === undefined) return leaf;
    const digest = digestBytes('blake3', record);
    return (await this.log.findLeaves([digest])).get(record.slice('blake3:'.length));
  }

  private async readHead(): Promise<PublishedHead> {
    const head = await this.log.findHead();
    if (head === undefined) throw new ServiceUnavailable({ retryAfterSec: 1 }, 'The first checkpoint is being signed.');
    return head;
  }
}

const asText = (hash: Uint8Array): string => namedDigest('sha256', hash);

function expectPublished(size: number, head: PublishedHead, path: string): void {
  if (size > head.size) throw invalid(path, `must not be greater than ${head.size}, the size of the log`);
}
