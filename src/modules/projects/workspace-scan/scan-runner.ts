import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import type { Values } from '../../../common/tenancy/tenant-repository.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { ThreadExhausted } from '../../../common/workers/timed-threads.js';
import { allOf } from '../../../common/workers/all-of.js';
import { ScannedFilesStore, type ScannedFile } from './scanned-files.store.js';
import { languageOf } from './symbols/symbol-languages.js';
import { SymbolsPool } from './symbols/symbols.pool.js';
import type { WorkspaceScanRow } from './workspace-scan.entity.js';
import { scanStep } from './workspace-scan.events.js';
import { batchesOf, LeftOutList, SCAN_LIMITS } from './workspace-scan.rules.js';
import { WalkThread } from './walk-thread.js';
import type { FoundFile, ScanJob, WalkedWorkspace } from './workspace-scan.types.js';
import { WorkspaceScansStore } from './workspace-scans.store.js';

const SCANNER = { principal: 'svc:workspace-scan', authType: 'system' } as const;

/** One attempt at a scan. */
interface Attempt extends ScanJob {
  attempt: number;
  root: string;
  leftOut: LeftOutList;
  /** How many more symbols are kept. */
  symbolsLeft: number;
}

/** Another attempt has begun: this one writes nothing any more. */
class Overtaken extends Error {}

/**
 * Does a scan. Each batch of files is committed with the progress; a scan that its process died in is begun again, and
 * what the dead attempt had written goes first.
 */
@Injectable()
export class ScanRunner {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly tenancy: Tenancy,
    private readonly scans: WorkspaceScansStore,
    private readonly scanned: ScannedFilesStore,
    private readonly walks: WalkThread,
    private readonly pool: SymbolsPool,
    private readonly audit: AuditTrail,
  ) {}

  async run(job: ScanJob): Promise<void> {
    const begun = await this.begin(job);
    if (begun !== undefined) {
      const { workspaceRoot } = this.settings.daemon;
      if (workspaceRoot === undefined) return this.fail(job, 'SVCD_WORKSPACE_ROOT is not set where jobs are worked on');
      try {
        await this.scan(job, begun, workspaceRoot);
      } catch (error) {
        if (error instanceof Overtaken) return;
        throw error;
      }
    }
    // Also after a process that died between the two.
    const last = await this.tenancy.run(job.tenantId, () => this.scans.findLast());
    if (last) await this.removeAll(job.tenantId, () => this.scanned.removeSomeBefore(last.scanId));
  }

  /** Of a scan that no attempt could end. */
  async fail({ tenantId, scanId }: ScanJob, problem: string): Promise<void> {
    const row = await this.tenancy.run(tenantId, async () => {
      const failed = await this.scans.fail(scanId, problem);
      if (failed) await this.audit.record(SCANNER, scanStep('failed', failed));
      return failed;
    });
    if (row) await this.removeAll(tenantId, () => this.scanned.removeSome(scanId));
  }

  private async removeAll(tenantId: string, removeSome: () => Promise<boolean>): Promise<void> {
    while (await this.tenancy.run(tenantId, removeSome));
  }

  /** @returns the number of this attempt; undefined where the scan has ended */
  private async begin({ tenantId, scanId }: ScanJob): Promise<number | undefined> {
    const row = await this.tenancy.run(tenantId, () => this.scans.begin(scanId));
    if (row && row.attempt > 1) await this.removeAll(tenantId, () => this.scanned.removeSome(scanId));
    return row?.attempt;
  }

  private async scan(job: ScanJob, attempt: number, folder: string): Promise<void> {
    const found = await this.walk(folder);
    if ('problem' in found) return this.fail(job, found.problem);
    const leftOut = new LeftOutList(found.leftOut);
    const one: Attempt = { ...job, attempt, root: found.root, leftOut, symbolsLeft: SCAN_LIMITS.symbols };
    await this.tenancy.run(one.tenantId, () => this.change(one, { filesFound: found.files.length }));
    const batches = batchesOf(found.files);
    // One batch more than there are threads: none waits for the database.
    const lanes = Array.from({ length: this.pool.threads + 1 }, async () => {
      for (const batch of batches) await this.scanBatch(one, batch);
    });
    await allOf(lanes);
    await this.end(one);
  }

  private async walk(folder: string): Promise<WalkedWorkspace> {
    try {
      const found = await this.walks.walk(folder);
      if (!('problem' in found)) return found;
      return {
        problem: `The folder of SVCD_WORKSPACE_ROOT cannot be read (${found.problem}) where jobs are worked on`,
      };
    } catch (error) {
      if (!(error instanceof ThreadExhausted)) throw error;
      return {
        problem: `The folder of SVCD_WORKSPACE_ROOT was not looked through: it took too much ${error.lacking}. Shorten the .gitignore files in it, or name a smaller folder`,
      };
    }
  }

  private async scanBatch(one: Attempt, batch: readonly FoundFile[]): Promise<void> {
    const files = await this.readFiles(one, batch);
    const symbols = files.reduce((sum, file) => sum + file.symbols.length, 0);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    await this.tenancy.run(one.tenantId, async () => {
      await this.change(one, {
        files: () => `files + ${files.length}`,
        bytes: () => `bytes + ${bytes}`,
        symbols: () => `symbols + ${symbols}`,
      });
      await this.scanned.insert(one.scanId, files);
    });
  }

  private async readFiles(one: Attempt, batch: readonly FoundFile[]): Promise<ScannedFile[]> {
    const files = batch.map((file) => ({ ...file, language: languageOf(file.path) }));
    const wanted = files.filter(({ language, bytes, path }) => {
      if (language === undefined) return false;
      if (bytes > SCAN_LIMITS.symbolFileBytes) one.leftOut.add('file_too_large', path);
      return bytes <= SCAN_LIMITS.symbolFileBytes;
    });
    const paths = wanted.map(({ path }) => path);
    const read = paths.length === 0 ? [] : await this.pool.read({ root: one.root, paths });
    const byPath = new Map(read.map((file) => [file.path, file]));
    return files.map((file) => {
      const { symbols = [], problem } = byPath.get(file.path) ?? {};
      if (problem) one.leftOut.add(problem, file.path);
      const kept = symbols.slice(0, Math.min(one.symbolsLeft, SCAN_LIMITS.symbolsOfFile));
      if (kept.length < symbols.length) one.leftOut.add('too_many_symbols', file.path);
      one.symbolsLeft -= kept.length;
      return { ...file, symbols: kept };
    });
  }

  private async end(one: Attempt): Promise<void> {
    await this.tenancy.run(one.tenantId, async () => {
      const leftOut = one.leftOut.list();
      const row = await this.change(one, { state: 'done', leftOut, endedAt: () => 'clock_timestamp()' });
      await this.audit.record(SCANNER, scanStep('completed', row));
    });
  }

  /** In the open unit of work. @throws Overtaken */
  private async change({ scanId, attempt }: Attempt, values: Values<WorkspaceScanRow>): Promise<WorkspaceScanRow> {
    const row = await this.scans.change(scanId, attempt, values);
    if (row) return row;
    throw new Overtaken(`the scan ${scanId} has ended, or was begun again`);
  }
}
