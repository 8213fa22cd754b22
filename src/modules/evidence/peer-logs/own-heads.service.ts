import { Injectable } from '@nestjs/common';
import { type Checkpoint, parseCheckpoint, withLines } from '../../../evidence/checkpoint.js';
import { namedDigest } from '../../../evidence/digest.js';
import { carriersOf, KnownKeys } from '../../../common/evidence-log/known-keys.js';
import { readEpochs } from '../../../common/evidence-log/log-epochs.js';
import { LogReader, type PublishedHead } from '../../../common/evidence-log/log-reader.js';
import { WitnessKeys } from '../../../common/evidence-log/witness-keys.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { ownLines } from './peer-heads.rules.js';
import type { HeadQuery, OwnHead } from './peer-logs.dto.js';

/** More restores than a log sees in its life. */
const MAX_EPOCHS = 64;

/** A head of this server's own log that somebody brought back. */
export interface OwnCheckpoint extends Checkpoint {
  /** The signed note with the lines of the log alone. */
  readonly text: string;
  /** Of a key that signed it. */
  readonly kid: string;
}

/** What this server shows of its own log to a peer that watches it. Reads tables without tenant data only. */
@Injectable()
export class OwnHeads {
  private readonly query: Query;
  private readonly log: LogReader;

  constructor(
    tenancy: Tenancy,
    private readonly knownKeys: KnownKeys,
    private readonly witnessKeys: WitnessKeys,
  ) {
    this.query = (sql, parameters) => tenancy.call(sql, parameters);
    this.log = new LogReader(this.query);
  }

  /** @throws ServiceUnavailable before the first checkpoint */
  async show({ origin: seen, from }: HeadQuery): Promise<OwnHead> {
    const head = await this.read();
    const { origin, size } = parseCheckpoint(head.checkpoint);
    const start = seen === origin && from <= size ? from : 0;
    const stored = await readEpochs(this.query);
    const records = stored.flatMap(({ record }) => record ?? []).slice(-MAX_EPOCHS);
    const [path = []] = head.epoch ? await this.log.proveInclusion([0], size) : [];
    const proof = await this.log.proveConsistency(start, size);
    return {
      origin,
      checkpoint: head.checkpoint,
      from: start,
      proof: proof.map(asText),
      statements: await this.readStatements(),
      witness: await this.witnessKeys.state(origin),
      epochs: records.map((record) => Buffer.from(record).toString('base64')),
      epoch_path: path.map(asText),
    };
  }

  /** By which the first key names the others: base64. */
  async readStatements(): Promise<string[]> {
    return carriersOf(await this.knownKeys.read(this.query), () => true).statements;
  }

  /** The note that vouches for this server's witness key; null where it has none. */
  async readStatement(): Promise<string | null> {
    return this.witnessKeys.state(parseCheckpoint((await this.read()).checkpoint).origin);
  }

  /** @returns undefined for a checkpoint that is none of this log as it is now */
  async findOwn(checkpoint: Checkpoint): Promise<OwnCheckpoint | undefined> {
    const { origin, size, root, note } = checkpoint;
    const head = parseCheckpoint((await this.read()).checkpoint);
    if (head.origin !== origin || size > head.size || size === 0) return undefined;
    const [made] = await this.log.rootsAt([size]);
    if (Buffer.compare(made!, root) !== 0) return undefined;
    const signers = (await this.knownKeys.read(this.query)).filter(({ terms }) => terms.has('log'));
    const lines = signers.map(({ key }) => ({ kid: key.kid, lines: ownLines(checkpoint, [key]) }));
    const signed = lines.filter((one) => one.lines.length > 0);
    if (signed.length === 0) return undefined;
    const text = withLines(
      note,
      signed.flatMap((one) => one.lines),
    );
    return { ...checkpoint, text, kid: signed.at(-1)!.kid };
  }

  private async read(): Promise<PublishedHead> {
    const head = await this.log.findHead();
    if (!head) throw new ServiceUnavailable({ retryAfterSec: 1 }, 'The first checkpoint is being signed.');
    return head;
  }
}

const asText = (hash: Uint8Array): string => namedDigest('sha256', hash);
