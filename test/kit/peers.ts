import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PeerExchange } from '../../src/modules/evidence/peer-logs/peer-exchange.service.js';
import { PeerLogActs } from '../../src/modules/evidence/peer-logs/peer-log-acts.service.js';
import { PeerLogs } from '../../src/modules/evidence/peer-logs/peer-logs.service.js';
import { OPERATOR } from '../../src/common/evidence-log/audit-trail.js';
import { createKeyFile } from '../../src/common/evidence-log/key-files.js';
import { createWitnessFile } from '../../src/common/evidence-log/witness-key-file.js';
import { parseCheckpoint } from '../../src/evidence/checkpoint.js';
import { noteVerifierKey } from '../../src/evidence/signed-note.js';
import type { EvidenceSigner } from '../../src/evidence/signing-key.js';
import { startDaemon, type TestDaemon } from './daemon.js';
import { freshDatabase, type TestDatabase } from './database.js';

/** A server with keys, a log and a database of its own, which can be stopped and started again. */
export class TestPeer {
  daemon!: TestDaemon;
  private facts = 0;

  private constructor(
    readonly name: string,
    readonly folder: string,
    readonly first: EvidenceSigner,
    readonly database: TestDatabase,
    private readonly env: Record<string, string>,
  ) {}

  static async start(name: string, env: Record<string, string> = {}): Promise<TestPeer> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-peer-'));
    const first = createKeyFile(join(folder, 'keys.pem'));
    createWitnessFile(join(folder, 'witness.pem'));
    const peer = new TestPeer(name, folder, first, await freshDatabase(), env);
    await peer.open();
    return peer;
  }

  /** A server with the same keys over another database: what whoever copied a data directory has. */
  async twin(database: TestDatabase): Promise<TestPeer> {
    const twin = new TestPeer(this.name, this.folder, this.first, database, this.env);
    await twin.open();
    return twin;
  }

  get settings(): Record<string, string> {
    return {
      SVC_LOG_ORIGIN: this.name,
      SVC_SIGNING_KEY_FILE: join(this.folder, 'keys.pem'),
      SVC_WITNESS_KEY_FILE: join(this.folder, 'witness.pem'),
      SVC_LOG_INTERVAL_MS: '50',
      SVCD_FEATURE_INCIDENTS: '1',
      ...this.env,
    };
  }

  async open(): Promise<void> {
    this.daemon = await startDaemon({ database: this.database, env: this.settings });
    await until(async () => (await fetch(`${this.url}/v1/witness/checkpoint`)).status === 200);
  }

  async stop(): Promise<void> {
    await this.daemon.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get url(): string {
    return this.daemon.url;
  }

  get prefix(): string {
    return `${this.url}/v1/witness`;
  }

  /** What `svc key pin` prints. */
  get firstKey(): string {
    return noteVerifierKey(this.name, this.first.publicKey.bytes);
  }

  get logs(): PeerLogs {
    return this.daemon.app.get(PeerLogs, { strict: false });
  }

  get acts(): PeerLogActs {
    return this.daemon.app.get(PeerLogActs, { strict: false });
  }

  /** What GET /v1/witness/checkpoint shows. */
  async head(): Promise<{ origin: string; checkpoint: string; witness: string; statements: string[] }> {
    return (await (await fetch(`${this.prefix}/checkpoint`)).json()) as never;
  }

  async size(): Promise<number> {
    return parseCheckpoint((await this.head()).checkpoint).size;
  }

  /** The verifier key of the witness that it is. */
  async witnessKey(): Promise<string> {
    return (await this.head()).witness.split('\n')[1]!;
  }

  /** Leaves more receipts in the log; returns when they are in it. */
  async grow(by = 1): Promise<void> {
    const before = await this.size();
    for (let n = 0; n < by; n++) {
      this.facts += 1;
      const body = { entity: `note:${this.facts}`, key: 'text', value: `${this.folder} ${this.facts}` };
      const { status, text } = await this.daemon.call('PUT', '/v1/facts', body);
      if (status !== 201) throw new Error(`${status} ${text}`);
    }
    await until(async () => (await this.size()) >= before + by);
  }

  /** Says by which key the log of another is known, in the tenant `default`. */
  pin(other: TestPeer, options: { keys?: string[]; url?: string; peerId?: string } = {}) {
    const { keys = [other.firstKey], url = other.url, peerId = 'peer' } = options;
    return this.logs.pin(OPERATOR, { tenantId: 'default', peerId, verifierKeys: keys, url });
  }

  look(peerId = 'peer') {
    return this.daemon.app.get(PeerExchange, { strict: false }).exchange({ tenantId: 'default', peerId });
  }
}

/** Waits however long a loaded machine takes. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3000; tries++) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error('it did not come about within a minute');
}
