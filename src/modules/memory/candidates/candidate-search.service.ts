import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { analyzerFor } from '../../../search/analysis.js';
import { rankTexts } from '../../../search/few-texts.js';
import { DEFAULT_LANGUAGE } from '../../../search/languages.js';
import { MemoryMeaningService } from '../vectors/memory-meaning.service.js';
import { CandidateRow } from './candidate.entity.js';
import type { CandidateStatus } from './candidates.types.js';

/** How many of the nearest are looked at. */
const NEAREST = 100;
/** How many of the newest are looked at by their words. */
const NEWEST = 2_000;

/** Candidates by their words and, pending ones, by meaning: also what says nearly the same as another. */
@Injectable()
export class CandidateSearchService {
  private readonly rows: TenantRepository<CandidateRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly meaning: MemoryMeaningService,
  ) {
    this.rows = new TenantRepository(tenancy, CandidateRow);
  }

  /** Best first. */
  async find(caller: DaemonCaller, status: CandidateStatus, query: string, limit: number): Promise<CandidateRow[]> {
    const tenantId = await this.tenants.enter(caller);
    const near = status === 'pending' ? await this.meaning.findNear(tenantId, 'candidate', query, NEAREST) : [];
    return this.tenancy.run(tenantId, async () => {
      const newest = await this.rows.list({ status }, { order: { candidateId: 'desc' }, take: NEWEST });
      const rows = new Map(newest.map((row) => [row.candidateId, row]));
      const older = near.map(({ itemId }) => itemId).filter((id) => !rows.has(id));
      for (const row of await this.readOlder(status, older)) rows.set(row.candidateId, row);
      const texts = [...rows.values()].map(({ candidateId: id, entity, key, value }) => ({
        ...{ id, text: `${entity} ${key}: ${value}` },
      }));
      const parts = new Map(near.map(({ itemId, part }) => [itemId, part]));
      const found = rankTexts(analyzerFor(DEFAULT_LANGUAGE), query, texts, parts);
      return found.slice(0, limit).map((id) => rows.get(id)!);
    });
  }

  private readOlder(status: CandidateStatus, ids: readonly string[]): Promise<CandidateRow[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.rows.select('c', { status }).andWhere('c.candidateId = any(:ids::uuid[])', { ids }).getMany();
  }
}
