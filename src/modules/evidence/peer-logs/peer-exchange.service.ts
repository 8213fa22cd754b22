import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { failureReason } from '../../../common/http/failure-reason.js';
import { parseCheckpoint } from '../../../evidence/checkpoint.js';
import { parseWitnessKey } from '../../../evidence/cosignature.js';
import { SHA256_DIGEST } from '../../../evidence/digest-forms.js';
import { parseNote } from '../../../evidence/signed-note.js';
import { digestBytes } from '../../../evidence/digest.js';
import { CosignedHeadsStore } from '../../../common/evidence-log/cosigned-heads.store.js';
import { LogReader } from '../../../common/evidence-log/log-reader.js';
import { askForLine } from '../../../common/evidence-log/witness-client.js';
import { readAtMost } from '../../../common/http/bounded-answer.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { OwnHeads } from './own-heads.service.js';
import { PeerLogBusy, PeerLogStopped, PeerUnreachable } from './peer-logs.problems.js';
import { PeerLogs } from './peer-logs.service.js';
import { PeerLogsStore } from './peer-logs.store.js';
import type { Observed, PeerLog, PeerName, ShownHead } from './peer-logs.types.js';

const ANSWER_MS = 10_000;
/** Far more than a head, its proof and the statements of a long chain of keys have. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const TRIES = 3;
/** Between two looks that requests have called for. */
const REFRESH_MS = 15_000;

const SHA256 = z.string().regex(SHA256_DIGEST);
const HEAD = z.object({
  origin: z.string(),
  checkpoint: z.string(),
  proof: z.array(SHA256).max(64),
  statements: z.array(z.string()).max(256),
  witness: z.string().nullable(),
  epochs: z.array(z.string()).max(256),
  epoch_path: z.array(SHA256).max(64),
});

/** How a peer is reached. */
export interface PeerAddress {
  /** Of its daemon; the one that an operator pinned unless given. */
  readonly url?: string | undefined;
  /** Of whoever knows where such an address may lead, as the client of sync does. */
  readonly send?: typeof fetch | undefined;
}

/** What came of looking at the log of a peer. */
export interface Exchanged extends Observed {
  /** Why the peer did not take the line of this server; null where it did, or there is none. */
  readonly notTaken: string | null;
  /** Why the peer did not cosign the log of this server; null where it did. */
  readonly notCosigned: string | null;
}

/** Looks at the logs of peers by their own addresses, and gives them the cosignatures that come of it. */
@Injectable()
export class PeerExchange {
  private readonly refreshed = new Map<string, number>();

  constructor(
    @Inject(LOG) private readonly log: Log,
    private readonly crossTenant: CrossTenant,
    private readonly logs: PeerLogs,
    private readonly own: OwnHeads,
  ) {}

  /**
   * Fetches the newest head of the peer's log with the proof that it extends the last one seen, looks at it, hands the
   * cosignature to the peer, and asks the peer to cosign the head of this server.
   * @throws PeerUnreachable, and what {@link PeerLogs.observe} throws
   */
  async exchange(peer: PeerName, { url, send = fetch }: PeerAddress = {}): Promise<Exchanged> {
    const client = await this.clientOf(peer, url, send);
    const { observed, lines } = await this.look(peer, client);
    const isTaken = observed.line === null || lines.includes(witnessIn(observed.line));
    const notTaken = isTaken ? null : await reasonOf(() => this.hand(client, observed));
    return { ...observed, notTaken, notCosigned: await reasonOf(() => this.askFor(peer, client)) };
  }

  /** In the background: asks the peer for its newest head, keys and epoch, not too often. */
  refresh(log: PeerLog): void {
    const now = performance.now();
    if (log.url === null || now < (this.refreshed.get(log.logId) ?? -Infinity) + REFRESH_MS) return;
    this.refreshed.set(log.logId, now);
    void this.lookAt(log);
  }

  /** Asks a peer that has the log, where it was pinned. What is found raises its alarm; never throws. */
  async lookAt({ logId, name }: PeerLog): Promise<void> {
    try {
      const [peer] = await this.crossTenant.run('watch peer log', (query) => new PeerLogsStore(query).listPeers(logId));
      if (peer) await this.look(peer, await this.clientOf(peer, undefined, fetch));
    } catch (error) {
      // The alarm says it.
      if (error instanceof PeerLogStopped) return;
      this.log.warn({ log: name, reason: (error as Error).message }, 'the log of a peer was not looked at');
    }
  }

  private async clientOf(peer: PeerName, url: string | undefined, send: typeof fetch): Promise<PeerClient> {
    const address = url ?? (await this.logs.find(peer)).url;
    if (address) return new PeerClient(peer, address.replace(/\/+$/, ''), send);
    throw new PeerUnreachable(
      { peer_id: peer.peerId },
      'The address of its daemon is not known: svc peer-log pin --url',
    );
  }

  /** @returns also the names of those who have signed the head that the peer showed */
  private async look(peer: PeerName, client: PeerClient): Promise<{ observed: Observed; lines: string[] }> {
    for (let tries = 1; ; tries++) {
      const { head: seen } = await this.logs.find(peer);
      const shown = await client.readHead(seen?.origin, seen?.size ?? 0);
      try {
        const observed = await this.logs.observe(peer, shown);
        return { observed, lines: parseNote(shown.checkpoint).signatures.map(({ name }) => name) };
      } catch (error) {
        if (!(error instanceof PeerLogBusy) || tries === TRIES) throw error;
      }
    }
  }

  private async hand(client: PeerClient, { checkpoint, line }: Observed): Promise<void> {
    const statements = await this.own.readStatements();
    const witness = await this.own.readStatement();
    await client.hand({ checkpoint: checkpoint + line!, witness, statements });
  }

  private async askFor(peer: PeerName, client: PeerClient): Promise<void> {
    const { witnessKey } = await this.logs.find(peer);
    if (witnessKey === null) throw new Error('the peer has no witness key');
    const head = await this.crossTenant.run('cosign log', (query) => new CosignedHeadsStore(query).findNewest());
    if (!head) throw new Error('the log of this server has not begun');
    const { checkpoint, size, cosignatures } = head;
    const known = parseWitnessKey(witnessKey);
    if (parseNote(checkpoint + cosignatures).signatures.some(({ name }) => name === known.name)) return;
    const prove = (from: number) =>
      this.crossTenant.run('cosign log', (query) => new LogReader(query).proveConsistency(from, size));
    const witness = { ...known, verifierKey: witnessKey, url: client.prefix };
    const line = await askForLine(witness, { checkpoint, size, prove }, 0, client.send);
    await this.crossTenant.run('cosign log', (query) => new CosignedHeadsStore(query).add(witnessKey, head, line));
  }
}

/** Asks the daemon of a peer. */
class PeerClient {
  constructor(
    private readonly peer: PeerName,
    private readonly url: string,
    readonly send: typeof fetch,
  ) {}

  /** Of C2SP tlog-witness. */
  get prefix(): string {
    return `${this.url}/v1/witness`;
  }

  /** @throws PeerUnreachable */
  async readHead(origin: string | undefined, from: number): Promise<ShownHead> {
    const query = new URLSearchParams({ ...(origin === undefined ? {} : { origin }), from: String(from) });
    try {
      const answer = await this.ask(`/checkpoint?${query.toString()}`, { headers: { 'cache-control': 'no-cache' } });
      const { checkpoint, proof, statements, witness, epochs, epoch_path } = HEAD.parse(JSON.parse(answer));
      const shown = parseCheckpoint(checkpoint);
      return {
        origin: shown.origin,
        // One of another origin is not extended by a proof.
        from: shown.origin === origin ? from : 0,
        checkpoint,
        proof: proof.map(asBytes),
        news: { statements, witness, epochs, epochPath: epoch_path.map(asBytes) },
      };
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error) : failureReason(error);
      throw new PeerUnreachable({ peer_id: this.peer.peerId }, `${new URL(this.url).origin}: ${reason}`);
    }
  }

  async hand(handed: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    await this.ask('/cosignatures', { method: 'POST', headers, body: JSON.stringify(handed) });
  }

  /** @throws Error unless it answers 200 */
  private async ask(path: string, init: RequestInit): Promise<string> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await this.send(this.prefix + path, { ...init, redirect: 'error', signal });
    const text = (await readAtMost(response, MAX_ANSWER_BYTES)).toString('utf8');
    if (response.status === 200) return text;
    throw new Error(`it answered ${response.status} ${oneLine(text)}`);
  }
}

/** Under whose name a line is. */
const witnessIn = (line: string): string => parseNote(`\n\n${line}`).signatures[0]!.name;

const asBytes = (digest: string): Uint8Array => digestBytes('sha256', digest);
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 300);

async function reasonOf(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return failureReason(error);
  }
}
