import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { parseCheckpoint, verifyCheckpoint, type Checkpoint } from '../../../evidence/checkpoint.js';
import { namedDigest } from '../../../evidence/digest.js';
import { KnownKeys } from '../../../common/evidence-log/known-keys.js';
import { LogReader, type PublishedHead } from '../../../common/evidence-log/log-reader.js';
import { emptyRoot, verifyConsistency, type TreeHead } from '../../../evidence/merkle.js';
import { frontierTiles, hashOfRange } from '../../../evidence/tiles.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { WitnessCheck, WitnessSmoke } from './witness.dto.js';

const CACHE_TTL_MS = 1_000;

/** A quick look at the evidence from outside: what a witness would check of the newest checkpoint, checked here. */
@Injectable()
export class WitnessService implements OnApplicationBootstrap {
  private readonly log: LogReader;
  /** The log when this process first saw it: it may only grow from there. */
  private first: TreeHead = { size: 0, root: emptyRoot() };
  private last: { at: number; smoke: Promise<WitnessSmoke> } | undefined;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly knownKeys: KnownKeys,
  ) {
    this.log = new LogReader((sql, parameters) => tenancy.call(sql, parameters));
  }

  async onApplicationBootstrap(): Promise<void> {
    const head = await this.log.findHead();
    if (head) this.first = parseCheckpoint(head.checkpoint);
  }

  /** @throws ServiceUnavailable before the first checkpoint */
  smoke(): Promise<WitnessSmoke> {
    const now = performance.now();
    if (!this.last || now - this.last.at > CACHE_TTL_MS) this.last = { at: now, smoke: this.look() };
    return this.last.smoke;
  }

  private async look(): Promise<WitnessSmoke> {
    const head = await this.log.findHead();
    if (!head) throw new ServiceUnavailable({ retryAfterSec: 1 }, 'The first checkpoint is being signed');
    const checkpoint = parseCheckpoint(head.checkpoint);
    const { size, origin, root } = checkpoint;
    const shrank = size < this.first.size;
    const path = shrank ? [] : await this.log.proveConsistency(this.first.size, size);
    const checks = [
      await this.checkSignature(checkpoint, head),
      await this.checkRoot(checkpoint),
      this.checkConsistency(checkpoint, path),
    ];
    return {
      ok: checks.every(({ ok }) => ok),
      log: { origin, size, root: namedDigest('sha256', root), checkpoint: head.checkpoint, kid: head.kid },
      consistency: { from: this.first.size, to: size, path: path.map((hash) => namedDigest('sha256', hash)) },
      checks,
      checked_at: new Date().toISOString(),
    };
  }

  private async checkSignature(checkpoint: Checkpoint, { kid }: PublishedHead): Promise<WitnessCheck> {
    const keys = await this.knownKeys.read((sql, parameters) => this.tenancy.call(sql, parameters));
    const known = keys.find(({ key }) => key.kid === kid);
    const ok = known !== undefined && verifyCheckpoint(checkpoint, known.key);
    const detail = ok
      ? `signed by the published key ${kid}`
      : known
        ? 'the signature does not hold'
        : `the key ${kid} is not published`;
    return { name: 'checkpoint_signature', ok, detail };
  }

  private async checkRoot({ size, root }: Checkpoint): Promise<WitnessCheck> {
    const tiles = await this.log.findTiles(frontierTiles(size));
    const ok = Buffer.compare(hashOfRange({ start: 0, end: size }, tiles), root) === 0;
    return {
      name: 'checkpoint_root',
      ok,
      detail: ok ? 'its root is that of the tiles' : 'its root is not that of the tiles',
    };
  }

  private checkConsistency(checkpoint: Checkpoint, path: readonly Uint8Array[]): WitnessCheck {
    const ok = verifyConsistency(this.first, checkpoint, path);
    const grown = `from ${this.first.size} to ${checkpoint.size} leaves`;
    return { name: 'consistency', ok, detail: ok ? `the log only grew, ${grown}` : `the log was rewritten ${grown}` };
  }
}
