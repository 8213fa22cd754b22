import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { analyzerFor } from '../../../search/analysis.js';
import { rankTexts } from '../../../search/few-texts.js';
import { DEFAULT_LANGUAGE } from '../../../search/languages.js';
import { MemoryMeaningService } from '../vectors/memory-meaning.service.js';
import type { NearPart } from '../vectors/memory-vectors.types.js';
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
    const texts = await this.tenancy.run(tenantId, () => this.readTexts(status, near));
    const parts = new Map(near.map(({ itemId, part }) => [itemId, part]));
    // Outside of a unit of work: it takes a while, and others may want the connection.
    const found = (await rankTexts(analyzerFor(DEFAULT_LANGUAGE), query, texts, parts)).slice(0, limit);
    const rows = await this.tenancy.run(tenantId, () => this.readAll(status, found));
    const byId = new Map(rows.map((row) => [row.candidateId, row]));
    return found.flatMap((id) => byId.get(id) ?? []);
  }

  /** Of the newest, and of those that are near in meaning. */
  private async readTexts(status: CandidateStatus, near: readonly NearPart[]): Promise<{ id: string; text: string }[]> {
    const order = { candidateId: 'desc' } as const;
    const newest = await this.rows.listOnly(TEXTS, { status }, { order, take: NEWEST });
    const known = new Set(newest.map(({ candidateId }) => candidateId));
    const older = near.map(({ itemId }) => itemId).filter((id) => !known.has(id));
    return [...newest, ...(await this.readAll(status, older))].map(({ candidateId: id, entity, key, value }) => ({
      ...{ id, text: `${entity} ${key}: ${value}` },
    }));
  }

  private readAll(status: CandidateStatus, ids: readonly string[]): Promise<CandidateRow[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.rows.select('c', { status }).andWhere('c.candidateId = any(:ids::uuid[])', { ids }).getMany();
  }
}

const TEXTS = ['candidateId', 'entity', 'key', 'value'] as const;
