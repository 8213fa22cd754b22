import { Injectable } from '@nestjs/common';
import { parseAnyCheckpoint, type Checkpoint } from '../../../evidence/checkpoint.js';
import { PeerExchange } from '../../evidence/peer-logs/peer-exchange.service.js';
import { PeerLogUnknown } from '../../evidence/peer-logs/peer-logs.problems.js';
import { PeerLogs } from '../../evidence/peer-logs/peer-logs.service.js';
import type { PeerLog, PeerName } from '../../evidence/peer-logs/peer-logs.types.js';
import { PeerClient } from '../peers/peer-client.service.js';
import type { PeerTarget } from '../peers/peers.types.js';
import type { LogLook } from './exchange.types.js';

/** While nothing is exchanged, the log of a peer is looked at this often. */
const LOOK_MS = 3_600_000;

/** Looks at the log of a peer before anything is exchanged with it. */
@Injectable()
export class ExchangeLogs {
  constructor(
    private readonly logs: PeerLogs,
    private readonly exchange: PeerExchange,
    private readonly client: PeerClient,
  ) {}

  /** Asks nobody. @throws PeerLogStopped */
  expectExchange(peer: PeerName): Promise<void> {
    return this.logs.expectExchange(peer);
  }

  /**
   * @param checkpoint of the peer's manifest
   * @param isIdle whether nothing is going to be exchanged
   * @throws PeerLogStopped for a log that does not only grow, PeerUnreachable where it is not shown
   */
  async look(peer: PeerTarget, checkpoint: string | null, isIdle: boolean): Promise<LogLook> {
    const log = await this.find(peer);
    if (!log) return 'unpinned';
    const shown = checkpointOf(checkpoint);
    if (shown && isSeen(log, shown)) return 'unchanged';
    if (shown && isIdle && isGrown(log, shown)) return 'unchanged';
    await this.exchange.exchange(peer, { url: peer.url, send: this.client.fetchOf(peer) });
    if (shown) await this.expectNoFork(peer, shown, checkpoint!);
    return 'seen';
  }

  /** The head of the manifest against the one that the peer showed next to it. */
  private async expectNoFork(peer: PeerName, { origin, size }: Checkpoint, checkpoint: string): Promise<void> {
    const { head } = await this.logs.find(peer);
    if (head?.origin === origin && head.size === size)
      await this.logs.observe(peer, { origin, from: size, checkpoint, proof: [] });
  }

  private async find(peer: PeerName): Promise<PeerLog | undefined> {
    try {
      return await this.logs.find(peer);
    } catch (error) {
      if (error instanceof PeerLogUnknown) return undefined;
      throw error;
    }
  }
}

/** Undefined of one that cannot be read: the peer is asked for its head then. */
function checkpointOf(text: string | null): Checkpoint | undefined {
  try {
    return text === null ? undefined : parseAnyCheckpoint(text).checkpoint;
  } catch {
    return undefined;
  }
}

const isSeen = ({ head }: PeerLog, { origin, size, root }: Checkpoint): boolean =>
  head?.origin === origin && head.size === size && Buffer.compare(head.root, root) === 0;

/** It goes on under the same origin, as far as can be seen without a proof, and one was asked for lately. */
const isGrown = ({ head, seenAt }: PeerLog, { origin, size }: Checkpoint): boolean =>
  head?.origin === origin && size > head.size && seenAt !== null && Date.now() - seenAt.getTime() < LOOK_MS;
