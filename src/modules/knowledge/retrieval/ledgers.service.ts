import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { digestBytes, namedDigest, sha256Digest } from '../../../evidence/digest.js';
import type { Candidates } from '../../../search/exhaustive.js';
import { inSlices } from '../../../search/slices.js';
import { LEDGER_CANDIDATES, type LedgerRow, linesOf, openLedger } from './ledger.rules.js';
import type { Ledger, StoredLedger } from './retrieval.types.js';
import type { SearchOutcome } from './search.service.js';

/** The candidate ledgers of the audit lane (decision D18). */
@Injectable()
export class LedgersService {
  constructor(private readonly tenancy: Tenancy) {}

  /** Made in slices, between which others come first: it is best done while no connection is held. */
  async make({ groups }: Pick<SearchOutcome, 'groups'>, candidates: Candidates): Promise<Ledger> {
    const candidatesDigest = namedDigest('sha256', await inSlices(candidates.digest()));
    const kept = await inSlices(candidates.best(LEDGER_CANDIDATES));
    const lines = linesOf(kept);
    return {
      candidateCount: candidates.count,
      candidatesDigest,
      statistics: groups.map(({ language, query }) => ({
        language,
        averageLength: query.averageLength,
        terms: query.terms.map((term, i) => ({
          term,
          weight: query.weights[i]!,
          isExpansion: i >= query.originals,
        })),
      })),
      keptCount: kept.length,
      lines,
      linesDigest: sha256Digest(lines),
    };
  }

  /** In the open unit of work. */
  async record(ledgers: ReadonlyMap<string, Ledger>): Promise<void> {
    const all = [...ledgers.values()];
    await this.tenancy.query(
      `insert into retrieval_ledger (tenant_id, retrieval_id, candidate_count, candidates_digest, statistics, candidate_lines)
       select $1, l.* from unnest($2::uuid[], $3::int[], $4::bytea[], $5::jsonb[], $6::text[]) l`,
      [
        this.tenancy.tenant,
        [...ledgers.keys()],
        all.map(({ candidateCount }) => candidateCount),
        all.map(({ candidatesDigest }) => digestBytes('sha256', candidatesDigest)),
        all.map(({ statistics }) => JSON.stringify(statistics)),
        all.map(({ lines }) => lines),
      ],
    );
  }

  /** Of an audit retrieval, in the open unit of work. */
  async find(retrievalId: string): Promise<StoredLedger | undefined> {
    const [row] = await this.tenancy.query<LedgerRow>(
      `select candidate_count, candidates_digest, candidates, candidate_lines from retrieval_ledger
       where tenant_id = $1 and retrieval_id = $2`,
      [this.tenancy.tenant, retrievalId],
    );
    return row && openLedger(row);
  }
}
