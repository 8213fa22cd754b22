import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type Values } from '../../../common/tenancy/tenant-repository.js';
import { WorkspaceScanRow } from './workspace-scan.entity.js';

const STEP = { version: () => 'version + 1', updatedAt: () => 'clock_timestamp()' };
const OPEN = { state: In(['queued', 'running']) };

/** Scans of the open unit of work's tenant. */
@Injectable()
export class WorkspaceScansStore {
  private readonly scans: TenantRepository<WorkspaceScanRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.scans = new TenantRepository(tenancy, WorkspaceScanRow);
  }

  /** Two that ask at once ask for the same scan. */
  async findOpenOrInsert(values: Values<WorkspaceScanRow>): Promise<{ row: WorkspaceScanRow; isNew: boolean }> {
    await this.tenancy.lock('workspace scan');
    const open = await this.scans.find(OPEN);
    return open ? { row: open, isNew: false } : { row: await this.scans.insert(values), isNew: true };
  }

  find(scanId: string): Promise<WorkspaceScanRow | undefined> {
    return this.scans.find({ scanId });
  }

  /** Newest first: ids rise with time. */
  list(after: [string] | undefined, take: number): Promise<WorkspaceScanRow[]> {
    return this.scans.list({}, { order: { scanId: 'desc' }, after, take });
  }

  /** The last one that ended well. */
  async findLast(): Promise<WorkspaceScanRow | undefined> {
    return (await this.scans.list({ state: 'done' }, { order: { scanId: 'desc' }, take: 1 }))[0];
  }

  /** @returns undefined where it has ended */
  async begin(scanId: string): Promise<WorkspaceScanRow | undefined> {
    const counts = { filesFound: null, files: 0, bytes: '0', symbols: 0, leftOut: [] };
    const values = { state: 'running' as const, attempt: () => 'attempt + 1', startedAt: () => 'clock_timestamp()' };
    return (await this.scans.update({ scanId, ...OPEN }, { ...values, ...counts, ...STEP }))[0];
  }

  /** @returns undefined where it has ended, or another attempt has begun */
  async change(
    scanId: string,
    attempt: number,
    values: Values<WorkspaceScanRow>,
  ): Promise<WorkspaceScanRow | undefined> {
    return (await this.scans.update({ scanId, attempt, state: 'running' }, { ...values, ...STEP }))[0];
  }

  /** @returns undefined where it has ended */
  async fail(scanId: string, problem: string): Promise<WorkspaceScanRow | undefined> {
    const values = { state: 'failed' as const, problem, endedAt: () => 'clock_timestamp()' };
    return (await this.scans.update({ scanId, ...OPEN }, { ...values, ...STEP }))[0];
  }
}
