import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { type EvidenceApp, openEvidence } from './evidence-app.js';

/** How many times the writers are killed. */
const ROUNDS = 3;

describe('two processes that write and are killed', () => {
  let database: TestDatabase;
  let app: EvidenceApp;
  let dataDir: string;

  beforeAll(async () => {
    database = await freshDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'svc-crash-'));
    app = await openEvidence(database.url, { SVC_DATA_DIR: dataDir });
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('leaves a chain and a log without gap, fork or lost leaf', async () => {
    const acknowledged = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const writers = [0, 1].map((n) => new Writer(database.url, `writer-${String(n)}`, dataDir, acknowledged));
      await Promise.all(writers.map((writer) => writer.wrote(40)));
      await Promise.all(writers.map((writer) => writer.kill()));
    }
    await app.sequencer.integrate();
    const audit = app.context.get(EvidenceAudit);
    const chain = await audit.verifyChain();
    expect(chain).toEqual({ ok: true, examined: chain.examined, faults: [] });
    expect(await audit.verifyLog()).toEqual({ ok: true, examined: chain.examined, faults: [] });
    const stored = await database.query<{ receipt_id: string }>('select receipt_id from receipt');
    const ids = new Set(stored.map((row) => row.receipt_id));
    expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * 2 * 40);
  }, 120_000);
});

class Writer {
  private readonly child: ChildProcess;
  private readonly exited: Promise<void>;
  private count = 0;
  private waiting: { count: number; resolve: () => void } | undefined;

  constructor(url: string, name: string, dataDir: string, acknowledged: Set<string>) {
    const script = join(import.meta.dirname, 'log-writer.child.mjs');
    this.child = spawn(process.execPath, [script, url, name, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.exited = new Promise((resolve) =>
      this.child.once('exit', () => {
        resolve();
      }),
    );
    if (this.child.stdout === null) throw new Error('the child has no stdout');
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      acknowledged.add(line);
      this.count++;
      if (this.waiting !== undefined && this.count >= this.waiting.count) this.waiting.resolve();
    });
  }

  /** Resolves when so many receipts were acknowledged; fails when the process ends before. */
  wrote(count: number): Promise<void> {
    const enough = new Promise<void>((resolve) => {
      this.waiting = { count, resolve };
    });
    const ended = this.exited.then(() => {
      if (this.count < count) throw new Error('the writer ended by itself');
    });
    return Promise.race([enough, ended]);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}
