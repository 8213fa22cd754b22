import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type Values } from '../../../common/tenancy/tenant-repository.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { isReservedEntity } from '../facts/facts.service.js';
import { CandidateRow } from './candidate.entity.js';
import { CandidateSearchService } from './candidate-search.service.js';
import { CandidateStandingsService, LOCK } from './candidate-standings.service.js';
import type { CandidateList, CandidateQuery, CandidateReply, ChangeCandidate } from './candidates.dto.js';
import { candidateEntry } from './candidates.events.js';
import { CandidateChanged, CandidateDecided, CandidateNotEligible, CandidateUnknown } from './candidates.problems.js';
import type { ScreenedSpan } from './candidates.types.js';
import { candidateOf } from './candidates.views.js';
import { contentDigest, holdsMask, nameDigest } from './extraction/extraction.rules.js';

/** Of a longer member a receipt has the digest alone. */
const MAX_SHOWN = 1_000;

/** Candidates: listed, read, edited before they are decided on (memory-daemon.md 4.6; D42). */
@Injectable()
export class CandidatesService {
  readonly rows: TenantRepository<CandidateRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly standings: CandidateStandingsService,
    private readonly screen: SecretScreen,
    private readonly search: CandidateSearchService,
  ) {
    this.rows = new TenantRepository(tenancy, CandidateRow);
  }

  async list(caller: DaemonCaller, { status, query, limit, cursor }: CandidateQuery): Promise<CandidateList> {
    if (query !== undefined) {
      if (cursor !== undefined) throw invalid('query.cursor', 'goes with no query: what is found is on one page');
      const found = await this.search.find(caller, status, query, limit);
      return listOf(found, null);
    }
    const after = decodeCursor(cursor, ['uuid']);
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.rows.list({ status }, { order: { candidateId: 'desc' }, after, take: limit + 1 });
      const { page, next_cursor } = takePage(rows, limit, ({ candidateId }) => [candidateId]);
      return listOf(page, next_cursor);
    });
  }

  /** @throws CandidateUnknown */
  read(caller: DaemonCaller, id: string): Promise<CandidateReply> {
    return this.tenants.run(caller, undefined, async () => replyOf(await this.find(id)));
  }

  /** @throws CandidateUnknown, CandidateDecided, CandidateChanged; CandidateNotEligible where another says the same */
  async change(caller: DaemonCaller, id: string, request: ChangeCandidate): Promise<CandidateReply> {
    const { members, screened } = await this.readChange(request);
    return this.tenants.write(caller, undefined, async () => {
      const row = await this.lockPending(id, request.base_version);
      if (row.action === 'retire') throw invalid('body', 'has nothing to change: the candidate retires a fact');
      const changed = Object.fromEntries(
        Object.entries(members).filter(([name, value]) => value !== undefined && row[name as 'value'] !== value),
      );
      if (Object.keys(changed).length === 0) return replyOf(row);
      const now = await this.rows.updateOne(
        { candidateId: id },
        {
          ...(await this.edited(caller, row, { ...row, ...changed })),
          ...(screened.length > 0 ? { screened: [...row.screened, ...screened] } : {}),
          version: row.version + 1,
          updatedAt: () => 'now()',
        },
      );
      const receipt = { edit: editOf(row, changed) };
      const facts = { version: now.version, changed: Object.keys(changed), resolution: now.resolution };
      await this.audit.record(caller, { ...candidateEntry('changed', id, facts), receipt });
      return replyOf(now);
    });
  }

  /** In the open unit of work. @throws CandidateUnknown */
  async find(id: string): Promise<CandidateRow> {
    const row = await this.rows.find({ candidateId: id });
    if (row) return row;
    throw new CandidateUnknown({ candidate_id: id }, 'GET /v1/memory/candidates lists those there are');
  }

  /**
   * In the open unit of work: nobody else decides on a candidate of the tenant until it ends.
   * @throws CandidateUnknown, CandidateDecided, CandidateChanged
   */
  async lockPending(id: string, base?: number): Promise<CandidateRow> {
    await this.tenancy.lock(LOCK);
    const row = await this.find(id);
    const { status, version } = row;
    if (status !== 'pending')
      throw new CandidateDecided(
        { candidate_id: id, candidate_status: status },
        `It is ${status} already; GET /v1/memory/candidates/${id} shows who decided and when`,
      );
    if (base === undefined || base === version) return row;
    throw new CandidateChanged(
      { candidate_id: id, version },
      `It is at version ${version} now, not ${base}; read it and decide again`,
    );
  }

  /** With its secrets masked. @throws ValidationFailed for a reserved entity */
  private async readChange({ entity, key, value, confidence }: ChangeCandidate) {
    if (entity !== undefined && isReservedEntity(entity))
      throw invalid('body.entity', 'begins with a prefix that daemons keep for themselves; choose another name');
    const screened: ScreenedSpan[] = [];
    const mask = async (text: string | undefined) => {
      if (text === undefined) return undefined;
      const masked = await this.screen.mask(text);
      screened.push(...masked.screened);
      return masked.text;
    };
    const members = {
      ...{ entity: await mask(entity), key: await mask(key), value: await mask(value) },
      confidence: confidence === undefined ? undefined : Math.fround(confidence),
    };
    return { members, screened };
  }

  /** What an edit makes of it: compared again with what is there. */
  private async edited(caller: DaemonCaller, row: CandidateRow, next: CandidateRow): Promise<Values<CandidateRow>> {
    const { entity, key, value, confidence, candidateId } = next;
    const [standing] = await this.standings.compare(caller, [{ found: next, candidateId }], candidateId);
    const { resolution, duplicateOf, conflictsWith } = standing!;
    const twin = duplicateOf === null ? undefined : await this.rows.find({ candidateId: duplicateOf });
    if (twin)
      throw new CandidateNotEligible(
        { candidate_id: row.candidateId, obstacle: 'duplicate' },
        `The pending candidate ${twin.candidateId} says that already; reject one of the two`,
      );
    return {
      ...{ entity, key, value, confidence, resolution, duplicateOf, conflictsWith },
      ...{
        holdsSecret: holdsMask(entity, key, value),
        contentDigest: contentDigest(next),
        nameDigest: nameDigest(next),
      },
    };
  }
}

const listOf = (rows: readonly CandidateRow[], next_cursor: string | null): CandidateList => ({
  schema: 'svc.candidates/1',
  candidates: rows.map(candidateOf),
  count: rows.length,
  has_more: next_cursor !== null,
  next_cursor,
});

const replyOf = (row: CandidateRow): CandidateReply => ({
  schema: 'svc.candidate/1',
  candidate: candidateOf(row),
});

const editOf = (row: CandidateRow, changed: object): object =>
  Object.fromEntries(
    Object.entries(changed).map(([name, to]) => [name, { from: shown(row[name as 'value']), to: shown(to) }]),
  );

const shown = (value: unknown): unknown =>
  typeof value !== 'string' || value.length <= MAX_SHOWN ? value : blake3Digest(value);
