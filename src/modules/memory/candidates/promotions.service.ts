import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import { lockToCopy } from '../../../common/tenancy/copied-texts.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Values } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { FactImportsService } from '../facts/fact-imports.service.js';
import { FactNotFound } from '../facts/facts.problems.js';
import { FactsService, isReservedEntity, readerOf } from '../facts/facts.service.js';
import { CandidateMatchesStore } from './candidate-matches.store.js';
import type { CandidateRow } from './candidate.entity.js';
import type { PromoteCandidate } from './candidates.dto.js';
import { candidateEntry } from './candidates.events.js';
import {
  CandidateNotEligible,
  CandidateNotPromoted,
  type Obstacle,
  PromotionOverwritten,
} from './candidates.problems.js';
import { CandidatesService } from './candidates.service.js';
import type { CandidateDecidedReply, CandidatePromotedReply } from './candidate-decisions.dto.js';
import { LOCK } from './candidate-standings.service.js';
import { contentDigest, nameDigest } from './extraction/extraction.rules.js';
import { obstacleOf } from './promotion.rules.js';
import { standingsOf, type Statement } from './standing.rules.js';

/** What a promotion did, as event and receipt say it. */
interface Decision {
  promotedFactId?: string;
  supersededFactId?: string | null;
  supersededCandidates?: string[];
  retiredFactId?: string | null;
  reviewer: string | null;
}

type StoredValue = Awaited<ReturnType<FactsService['read']>>;
type Asked = Omit<PromoteCandidate, 'reviewer'> & { reviewer: string | undefined };

/** Makes facts of candidates, and takes that back. Fact, candidate, event and receipt are one transaction. */
@Injectable()
export class PromotionsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly candidates: CandidatesService,
    private readonly matches: CandidateMatchesStore,
    private readonly imports: FactImportsService,
    private readonly facts: FactsService,
    private readonly screen: SecretScreen,
  ) {}

  /** @throws CandidateUnknown, CandidateDecided, CandidateChanged, CandidateNotEligible */
  async promote(caller: DaemonCaller, id: string, request: PromoteCandidate): Promise<CandidatePromotedReply> {
    const { reviewer } = request;
    const asked = { ...request, reviewer: reviewer && (await this.screen.mask(reviewer)).text };
    return this.tenants.write(caller, undefined, async () => {
      await lockToCopy(this.tenancy);
      const row = await this.candidates.lockPending(id, request.base_version);
      return row.action === 'retire' ? this.retire(caller, row, asked) : this.store(caller, row, asked);
    });
  }

  /**
   * The fact is retired; where it superseded one, that value is stored again, unless an incident has it set aside.
   * @throws CandidateUnknown, CandidateNotPromoted; PromotionOverwritten where the fact is not the current one any more
   */
  async undo(caller: DaemonCaller, id: string, words: string): Promise<CandidateDecidedReply> {
    const { text: reason } = await this.screen.mask(words);
    return this.tenants.write(caller, undefined, async () => {
      await lockToCopy(this.tenancy);
      await this.tenancy.lock(LOCK);
      const row = await this.candidates.find(id);
      await this.checkCurrent(caller, row);
      const before = row.supersededFactId && (await this.readBefore(caller, row.supersededFactId));
      if (before) await this.storeAgain(caller, row, before);
      else await this.facts.retire(caller, row.promotedFactId!);
      const cause = { promotedFactId: row.promotedFactId, restored: Boolean(before) };
      const entry = { ...candidateEntry('undone', id, cause), receipt: { reason } };
      const { receiptId } = await this.audit.record(caller, entry);
      await this.update(row, caller, { status: 'rejected', reason, undoneAt: () => 'now()' });
      return { candidate_id: id, schema: 'svc.candidate.decision/1', status: 'rejected', receipt_id: receiptId };
    });
  }

  private async store(caller: DaemonCaller, row: CandidateRow, asked: Asked): Promise<CandidatePromotedReply> {
    const { entity, key, value, confidence, candidateId } = row;
    if (isReservedEntity(entity)) throw notEligible(candidateId, 'reserved_name', 'PATCH it to another entity');
    const { superseded, candidates } = await this.checkEligible(caller, row, asked);
    const fact = { entity, key, value, confidence, source_receipt: row.receiptId };
    const drafts = await this.imports.prepare(caller, [fact], 'candidate');
    const [stored] = await this.imports.store(caller, drafts);
    const factId = stored!.fact_id;
    const taken = stored!.replaces?.fact_id ?? null;
    if (taken !== superseded)
      throw notEligible(
        candidateId,
        'conflict',
        'A fact of its entity and key was stored or deleted meanwhile; decide again',
        taken === null ? [] : [taken],
      );
    const facts = { promotedFactId: factId, supersededFactId: superseded, reviewer: asked.reviewer ?? null };
    await this.supersede(caller, candidates, candidateId);
    return this.finish(caller, row, {
      ...facts,
      ...(candidates.length > 0 ? { supersededCandidates: candidates } : {}),
    });
  }

  private async retire(caller: DaemonCaller, row: CandidateRow, asked: Asked): Promise<CandidatePromotedReply> {
    this.check(row, asked, { duplicateOf: null, conflictsWith: [] });
    try {
      await this.facts.retire(caller, row.targetFactId!);
    } catch (error) {
      if (!(error instanceof FactNotFound)) throw error;
      throw notEligible(row.candidateId, 'target_gone', 'The fact that it retires is gone already; reject it');
    }
    return this.finish(caller, row, { retiredFactId: row.targetFactId, reviewer: asked.reviewer ?? null });
  }

  private async finish(caller: DaemonCaller, row: CandidateRow, facts: Decision): Promise<CandidatePromotedReply> {
    const { candidateId, version, evidence, confidence } = row;
    const source = { sourceReceipt: row.receiptId, quotes: evidence.map(({ quote_blake3 }) => quote_blake3) };
    const entry = candidateEntry('promoted', candidateId, { ...facts, version, confidence, ...source });
    const { receiptId } = await this.audit.record(caller, entry);
    const { promotedFactId = null, supersededFactId = null, reviewer } = facts;
    await this.update(row, caller, { status: 'promoted', promotedFactId, supersededFactId, reviewer });
    const answer = { candidate_id: candidateId, promoted_fact_id: promotedFactId, receipt_id: receiptId };
    return { ...answer, schema: 'svc.candidate.decision/1', status: 'promoted' };
  }

  /** As it stands to what is there now. @returns the fact and the candidates that it takes the place of */
  private async checkEligible(caller: DaemonCaller, row: CandidateRow, asked: Asked) {
    const [facts, pending] = await this.rivals(caller, row);
    const own = statementOf(row);
    const standing = standingsOf([own], new Map([[own.name, [...facts, ...pending]]]))[0]!;
    this.check(row, asked, standing);
    const superseded = facts.find(({ id, is_public }) => is_public && standing.conflictsWith.includes(id));
    const candidates = pending.filter(({ id }) => standing.conflictsWith.includes(id)).map(({ id }) => id);
    return { superseded: superseded?.id ?? null, candidates };
  }

  private async rivals(caller: DaemonCaller, row: CandidateRow): Promise<[Statement[], Statement[]]> {
    const { entity, key, candidateId } = row;
    const name = [{ entity, key, name: row.nameDigest.toString('hex') }];
    const reader = readerOf(caller, this.tenancy.tenant);
    return [await this.matches.findFacts(reader, name), await this.matches.findPending(name, candidateId)];
  }

  private check(row: CandidateRow, asked: Asked, standing: { duplicateOf: string | null; conflictsWith: string[] }) {
    const { reviewer, auto_threshold: autoThreshold, supersedes = [] } = asked;
    const { confidence, holdsSecret, candidateId } = row;
    const given = { reviewer, autoThreshold, supersedes: [supersedes].flat() };
    const found = obstacleOf({ confidence, holdsSecret, ...given, ...standing });
    if (!found) return;
    throw notEligible(candidateId, found.obstacle, found.remedy, standing.conflictsWith);
  }

  private async supersede(caller: DaemonCaller, ids: readonly string[], by: string): Promise<void> {
    const entries = ids.map((id) => candidateEntry('superseded', id, { supersededBy: by }));
    if (entries.length > 0) await this.audit.recordMany(caller, entries);
    for (const id of ids) {
      const row = await this.candidates.find(id);
      await this.update(row, caller, { status: 'superseded', reason: `${by} was promoted` });
    }
  }

  private async checkCurrent(caller: DaemonCaller, row: CandidateRow): Promise<void> {
    const { candidateId: id, promotedFactId, status } = row;
    const refuse = (detail: string) => new PromotionOverwritten({ candidate_id: id }, detail);
    if (status !== 'promoted')
      throw new CandidateNotPromoted(
        { candidate_id: id, candidate_status: status },
        `It is ${status}; only a promotion can be undone`,
      );
    if (promotedFactId === null) throw refuse('It retired a fact; store its value again by PUT /v1/facts');
    const [facts] = await this.rivals(caller, row);
    if (!facts.some((fact) => fact.id === promotedFactId)) throw overwritten(row);
  }

  private async readBefore(caller: DaemonCaller, factId: string): Promise<StoredValue | undefined> {
    try {
      const fact = await this.facts.read(caller, factId);
      return fact.quarantined ? undefined : fact;
    } catch (error) {
      if (error instanceof FactNotFound) return undefined;
      throw error;
    }
  }

  private async storeAgain(caller: DaemonCaller, row: CandidateRow, fact: StoredValue): Promise<void> {
    const { entity, key, value, confidence, horizon_class, source_receipt, tenant_hash } = fact;
    const again = { entity, key, value, confidence, horizon_class, source_receipt, tenant_hash };
    const drafts = await this.imports.prepare(caller, [again], 'candidate');
    const [stored] = await this.imports.store(caller, drafts);
    // Another one may have been stored since the check.
    if (stored!.replaces?.fact_id !== row.promotedFactId) throw overwritten(row);
  }

  private async update(row: CandidateRow, { principal }: DaemonCaller, values: Values<CandidateRow>): Promise<void> {
    const decided = { decidedBy: principal, decidedAt: () => 'now()', updatedAt: () => 'now()' };
    await this.candidates.rows.updateMany(
      { candidateId: row.candidateId },
      { ...values, ...decided, version: row.version + 1 },
    );
  }
}

const overwritten = ({ candidateId, promotedFactId }: CandidateRow): PromotionOverwritten =>
  new PromotionOverwritten(
    { candidate_id: candidateId },
    `The fact ${promotedFactId} is not the current one any more; change the fact itself`,
  );

const notEligible = (candidate_id: string, obstacle: Obstacle, remedy: string, conflicts: string[] = []) =>
  new CandidateNotEligible(
    { candidate_id, obstacle, ...(obstacle === 'conflict' ? { conflicts_with: conflicts } : {}) },
    remedy,
  );

const statementOf = (row: CandidateRow): Statement => ({
  ...{ id: row.candidateId, value: row.value },
  ...{ name: nameDigest(row).toString('hex'), content: contentDigest(row).toString('hex') },
});
