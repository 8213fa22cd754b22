import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { CandidateRow } from './candidate.entity.js';
import { LOCK } from './candidate-standings.service.js';
import type { Evidence, Extractor, Resolution, ScreenedSpan } from './candidates.types.js';
import { contentDigest, holdsMask, nameDigest } from './extraction/extraction.rules.js';

/** A pending candidate of another server, its secrets masked. */
export interface ImportedCandidate {
  candidate_id?: string | undefined;
  entity: string;
  key: string;
  value: string;
  confidence: number;
  profile: string;
  extractor: Extractor;
  resolution: Resolution;
  evidence: Evidence[];
  screened: ScreenedSpan[];
  session_id: string | null;
  session_date: string | null;
  created_by: string;
  created_at: string;
}

/**
 * Pending candidates supplied by another module, in its unit of work. How they stand is found out when they are decided
 * on.
 */
@Injectable()
export class CandidateImportsService {
  private readonly rows: TenantRepository<CandidateRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.rows = new TenantRepository(tenancy, CandidateRow);
  }

  /** @returns those that the tenant does not have: by their ids, and by what is pending */
  async findNew(candidates: readonly ImportedCandidate[]): Promise<ImportedCandidate[]> {
    if (candidates.length === 0) return [];
    await this.tenancy.lock(LOCK);
    const sent = candidates.map((one) => ({ id: one.candidate_id, content: contentDigest(one).toString('hex') }));
    const known = await this.tenancy.query<{ place: string }>(
      `select i.place from json_array_elements($1::json) with ordinality i (item, place)
       where exists (select from candidate c where c.candidate_id = (i.item ->> 'id')::uuid)
         or exists (select from candidate c where c.status = 'pending' and c.content_digest = decode(i.item ->> 'content', 'hex'))`,
      [JSON.stringify(sent)],
    );
    const places = new Set(known.map(({ place }) => Number(place) - 1));
    const contents = new Set<string>();
    return candidates.filter((_, place) => {
      const { content } = sent[place]!;
      if (places.has(place) || contents.has(content)) return false;
      contents.add(content);
      return true;
    });
  }

  async storeAll(candidates: readonly ImportedCandidate[], receiptId: string): Promise<void> {
    for (const one of candidates)
      await this.rows.insert({
        ...{ candidateId: one.candidate_id ?? uuid(), receiptId, createdBy: one.created_by },
        ...{ entity: one.entity, key: one.key, value: one.value, confidence: Math.fround(one.confidence) },
        ...{ profile: one.profile, extractor: one.extractor, evidence: one.evidence, resolution: one.resolution },
        screened: one.screened,
        ...{ sessionId: one.session_id, sessionDate: one.session_date, createdAt: new Date(one.created_at) },
        ...{ contentDigest: contentDigest(one), nameDigest: nameDigest(one) },
        holdsSecret: holdsMask(one.entity, one.key, one.value),
      });
  }
}
