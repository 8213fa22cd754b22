import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { uuid } from '../../../common/ids/uuid.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { wordsOf } from './cases.rules.js';
import type { ScreenedMember } from './cases.types.js';
import { CasesStore } from './cases.store.js';
import { MemoryCaseRow } from './memory-case.entity.js';

/** A case of another server, its secrets masked. */
export interface ImportedCase {
  case_id?: string | undefined;
  task: string;
  action: string;
  outcome: string;
  context: string;
  lesson: string | null;
  success: boolean;
  reward: number;
  tags: string[];
  recorded_by: string;
  created_at: string;
  /** Of its texts. */
  screened: ScreenedMember[];
}

/** Cases that are written by one statement. */
const AT_ONCE = 200;

export { resultOf } from './cases.rules.js';

/** Cases supplied by another module, in its unit of work. */
@Injectable()
export class CaseImportsService {
  private readonly rows: TenantRepository<MemoryCaseRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: CasesStore,
  ) {
    this.rows = new TenantRepository(tenancy, MemoryCaseRow);
  }

  /** @returns those that the tenant does not have: by their ids, and by what they say */
  async findNew(cases: readonly ImportedCase[]): Promise<ImportedCase[]> {
    const sent = cases.map((one) => ({ id: one.case_id, hash: hashOf(one) }));
    const known = await this.tenancy.query<{ place: string }>(
      `select i.place from json_array_elements($1::json) with ordinality i (item, place)
       where exists (select from memory_case c where c.case_id = (i.item ->> 'id')::uuid)
         or exists (select from memory_case c where c.content_hash = i.item ->> 'hash')`,
      [JSON.stringify(sent)],
    );
    const places = new Set(known.map(({ place }) => Number(place) - 1));
    const hashes = new Set<string>();
    return cases.filter((_, place) => {
      const { hash } = sent[place]!;
      if (places.has(place) || hashes.has(hash)) return false;
      hashes.add(hash);
      return true;
    });
  }

  async storeAll(cases: readonly ImportedCase[], receiptId: string): Promise<void> {
    for (let from = 0; from < cases.length; from += AT_ONCE) {
      const made = cases.slice(from, from + AT_ONCE).map((one) => {
        const { case_id, created_at, recorded_by, ...texts } = one;
        const { terms, length } = wordsOf(one);
        const row = {
          ...{ ...texts, caseId: case_id ?? uuid(), reward: Math.fround(one.reward), length, receiptId },
          ...{ contentHash: hashOf(one), recordedBy: recorded_by, createdAt: new Date(created_at) },
        };
        return { row, terms };
      });
      await this.rows.insertAll(made.map(({ row }) => row));
      await this.store.indexAll(made.map(({ row, terms }) => ({ caseId: row.caseId, terms })));
    }
  }

  /** Those that are there are deleted, with their words. */
  async deleteAll(caseIds: readonly string[]): Promise<void> {
    if (caseIds.length > 0) await this.rows.delete({ caseId: In([...caseIds]) });
  }
}

const hashOf = ({ task, action, outcome, context, lesson, tags }: ImportedCase): string =>
  blake3Digest(canonicalJson({ task, action, outcome, context, lesson, tags, source_receipt: null }));
