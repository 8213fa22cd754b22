import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import { lockToCopy } from '../../../common/tenancy/copied-texts.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type Values } from '../../../common/tenancy/tenant-repository.js';
import { blake3 } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { CandidateRow } from './candidate.entity.js';
import { CandidateStandingsService, LOCK } from './candidate-standings.service.js';
import type { Candidate } from './candidates.dto.js';
import { extractionEntry } from './candidates.events.js';
import { OperationReused } from './candidates.problems.js';
import type { ExtractionCounts } from './candidates.types.js';
import { candidateOf } from './candidates.views.js';
import type { ExtractReply, ExtractRequest } from './extraction.dto.js';
import { ExtractionRow } from './extraction.entity.js';
import { contentDigest, nameDigest } from './extraction/extraction.rules.js';
import { type Extracted, ExtractorService, type Found } from './extraction/extractor.service.js';
import type { Standing } from './standing.rules.js';

/** A request with its secrets masked. */
interface Asked {
  extractionId: string;
  operationId: string | null;
  digest: Buffer;
  profile: ExtractRequest['profile'];
  sessionId: string | null;
  sessionDate: string | null;
}

interface Compared {
  found: Found;
  standing: Standing;
  candidateId: string;
}

/** Looks through texts for what is worth remembering (memory-daemon.md 4.6; D42). */
@Injectable()
export class ExtractionsService {
  private readonly rows: TenantRepository<CandidateRow>;
  private readonly extractions: TenantRepository<ExtractionRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly extractor: ExtractorService,
    private readonly standings: CandidateStandingsService,
    private readonly screen: SecretScreen,
  ) {
    this.rows = new TenantRepository(tenancy, CandidateRow);
    this.extractions = new TenantRepository(tenancy, ExtractionRow);
  }

  /** @throws ValidationFailed for a day that there is not; OperationReused, TenantMismatch */
  async extract(caller: DaemonCaller, request: ExtractRequest): Promise<ExtractReply> {
    const masked = await this.extractor.mask(request.text);
    const asked = await this.readAsked(request, masked.text);
    const before = await this.tenants.run(caller, undefined, () => this.replay(asked));
    if (before) return before;
    const extracted = await this.extractor.extract(masked, asked.profile, asked.extractionId);
    const said = await this.standings.findSaid(caller, extracted.found);
    const store = async (): Promise<ExtractReply> => {
      await lockToCopy(this.tenancy);
      await this.tenancy.lock(LOCK);
      return (await this.replay(asked)) ?? this.store(caller, asked, extracted, said);
    };
    if (!request.dry_run) return this.tenants.write(caller, undefined, store);
    return this.tenants.run(caller, undefined, () => this.show(caller, asked, extracted, said));
  }

  private async readAsked(request: ExtractRequest, text: string): Promise<Asked> {
    const { session_id, session_date, operation_id, profile } = request;
    const sessionDate = session_date === undefined ? null : dayOf(session_date);
    const mask = async (words: string | undefined) =>
      words === undefined ? null : (await this.screen.mask(words)).text;
    const [sessionId, operationId] = [await mask(session_id), await mask(operation_id)];
    const digest = Buffer.from(blake3(JSON.stringify([text, sessionId, profile, sessionDate])));
    return { extractionId: uuid(), operationId, digest, profile, sessionId, sessionDate };
  }

  /** In the open unit of work: what the same request was answered before. @throws OperationReused */
  private async replay({ operationId, digest }: Asked): Promise<ExtractReply | undefined> {
    if (operationId === null) return undefined;
    const row = await this.extractions.find({ operationId });
    if (!row) return undefined;
    if (!digest.equals(row.requestDigest))
      throw new OperationReused(
        { operation_id: operationId },
        'It was used for another text or other settings; send a new operation_id',
      );
    const { extractionId, receiptId, counts } = row;
    const rows = await this.rows.list({ extractionId }, { order: { candidateId: 'asc' } });
    return replyOf(extractionId, counts, rows.map(candidateOf), { replayed: true, receipt_id: receiptId });
  }

  private async store(
    caller: DaemonCaller,
    asked: Asked,
    extracted: Extracted,
    said: Map<Found, string>,
  ): Promise<ExtractReply> {
    const all = await this.compare(caller, extracted, said);
    const kept = all.filter(({ standing }) => standing.resolution !== 'duplicate');
    const { extractionId, operationId, profile, digest } = asked;
    const counts = countsOf(extracted, all.length, kept.length);
    const named = { profile, sessionId: asked.sessionId, candidates: kept.map(({ candidateId }) => candidateId) };
    const screened = extracted.found.reduce((sum, { screened: spans }) => sum + spans.length, 0);
    const { skipped_existing: skippedExisting, left_out: leftOut, ...rest } = counts;
    const entry = extractionEntry(extractionId, { ...rest, skippedExisting, leftOut, ...named, screened });
    const { receiptId } = await this.audit.record(caller, entry);
    await this.extractions.insert({
      ...{ extractionId, operationId, requestDigest: digest, profile, counts, receiptId },
      createdBy: caller.principal,
    });
    const of = { caller, asked, receiptId };
    await this.rows.insertAll(kept.map((one) => valuesOf(one, of)));
    const written = new Map((await this.rows.list({ extractionId })).map((row) => [row.candidateId, candidateOf(row)]));
    const shown = all.map((one) => written.get(one.candidateId) ?? unstored(one, of));
    return replyOf(extractionId, counts, shown, { receipt_id: receiptId });
  }

  private async show(
    caller: DaemonCaller,
    asked: Asked,
    extracted: Extracted,
    said: Map<Found, string>,
  ): Promise<ExtractReply> {
    const all = await this.compare(caller, extracted, said);
    const kept = all.filter(({ standing }) => standing.resolution !== 'duplicate');
    const counts = { ...countsOf(extracted, all.length, kept.length), written: 0 };
    const shown = all.map((one) => unstored(one, { caller, asked }));
    return replyOf(asked.extractionId, counts, shown, { dry_run: true });
  }

  private async compare(caller: DaemonCaller, { found }: Extracted, said: Map<Found, string>): Promise<Compared[]> {
    const all = found.map((one) => ({ found: one, candidateId: uuid() }));
    const standings = await this.standings.compare(caller, all);
    return all.map((one, place) => {
      const fact = said.get(one.found);
      const known = standings[place]!;
      const standing: Standing =
        fact === undefined || known.resolution === 'duplicate'
          ? known
          : { resolution: 'duplicate', duplicateOf: fact, conflictsWith: [] };
      return { ...one, standing };
    });
  }
}

const countsOf = ({ dropped, leftOut, note }: Extracted, all: number, kept: number): ExtractionCounts => ({
  ...{ extracted: all, written: kept, skipped_existing: all - kept, dropped, left_out: leftOut, note },
});

const replyOf = (
  extractionId: string,
  counts: ExtractionCounts,
  candidates: Candidate[],
  more: Partial<ExtractReply>,
): ExtractReply => ({
  ...{ schema: 'svc.extraction/1', extraction_id: extractionId, ...counts, candidates },
  ...{ dry_run: false, replayed: false, receipt_id: null, ...more },
});

const valuesOf = (
  { found, standing, candidateId }: Compared,
  { caller, asked, receiptId }: { caller: DaemonCaller; asked: Asked; receiptId: string },
): Values<CandidateRow> => ({
  ...{ candidateId, extractionId: asked.extractionId, receiptId, createdBy: caller.principal },
  ...{ entity: found.entity, key: found.key, value: found.value, confidence: Math.fround(found.confidence) },
  ...{ profile: asked.profile, extractor: found.extractor, evidence: [found.evidence], screened: found.screened },
  ...{ resolution: standing.resolution, conflictsWith: standing.conflictsWith, holdsSecret: found.holdsSecret },
  ...{ contentDigest: contentDigest(found), nameDigest: nameDigest(found) },
  ...{ sessionId: asked.sessionId, sessionDate: asked.sessionDate },
});

/** As one that is stored is shown, without what only those have. */
const unstored = (
  { found, standing }: Compared,
  { caller, asked, receiptId = null }: { caller: DaemonCaller; asked: Asked; receiptId?: string | null },
): Candidate => ({
  ...{ candidate_id: null, action: 'store', status: null, version: 1, receipt_id: receiptId },
  ...{ entity: found.entity, key: found.key, value: found.value, confidence: found.confidence },
  ...{ profile: asked.profile, extractor: found.extractor, evidence: [found.evidence], screened: found.screened },
  resolution: standing.resolution,
  duplicate_of: standing.duplicateOf,
  conflicts_with: standing.conflictsWith,
  ...{ session_id: asked.sessionId, session_date: asked.sessionDate, promoted_fact_id: null, target_fact_id: null },
  ...{ created_by: caller.principal, created_at: new Date().toISOString() },
  ...{ decided_by: null, decided_at: null, reviewer: null, reason: null },
});

/** @throws ValidationFailed */
function dayOf(text: string): string {
  const day = text.slice(0, 10);
  const time = Date.parse(`${day}T00:00:00Z`);
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(day) && !day.startsWith('0000')) return day;
  throw invalid('body.session_date', 'must be a day that there is, such as 2026-01-31');
}
