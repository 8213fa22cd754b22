import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { SessionImportsService } from '../../governance/observe/session-imports.service.js';
import { CandidateImportsService } from '../candidates/candidate-imports.service.js';
import { CaseImportsService } from '../cases/case-imports.service.js';
import { EngramImportsService, type ImportedEngram, type LabelMove } from '../engrams/engram-imports.service.js';
import { GraphImportsService, type ImportedEdge, type ImportedEntity } from '../graph/graph-imports.service.js';
import { RelationImportsService } from '../relations/relation-imports.service.js';
import type { ImportedRelation } from '../relations/relations.types.js';
import { type FactCounts, PackFactsService } from './pack-facts.service.js';
import { PackReadingService } from './pack-reading.service.js';
import { canonicalPack, findSignatureFault } from './pack-signature.rules.js';
import { checkExact, pageOf } from './pack-checks.rules.js';
import type { ImportPackReply } from './packs.dto.js';
import { MEMORY_IMPORTED } from './packs.events.js';
import { PackNotVerified } from './packs.problems.js';
import type { ListCounts, PackCaller, PackCounts, PreparedPack } from './packs.types.js';

export interface PackToImport {
  pack: Record<string, unknown>;
  principalMap: Record<string, unknown>;
}

/** A pack whose signature holds, if it has one, with everything made ready to be stored. */
export interface ReadPack {
  readonly hash: string;
  readonly passportFpr: string | null;
  readonly signature: 'verified' | 'absent';
  readonly prepared: PreparedPack;
}

/** Places of masked secrets that are named, in the answer and in the receipt; all are counted. */
const MAX_PLACES = 1000;
const MAX_PLACES_OF_RECEIPT = 100;

type Stored = Omit<ImportPackReply, 'dry_run'>;

/** Imports packs: read first, which may take a while, then stored in the open unit of work. */
@Injectable()
export class PackImportsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly reading: PackReadingService,
    private readonly facts: PackFactsService,
    private readonly graph: GraphImportsService,
    private readonly engrams: EngramImportsService,
    private readonly relations: RelationImportsService,
    private readonly sessions: SessionImportsService,
    private readonly cases: CaseImportsService,
    private readonly candidates: CandidateImportsService,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws ValidationFailed, PackNotVerified, PrincipalNotYours */
  async read(caller: PackCaller, { pack, principalMap }: PackToImport): Promise<ReadPack> {
    checkExact(pack);
    const document = this.reading.readDocument(pack);
    const { bytes, hash } = await canonicalPack(pack);
    const passportFpr = document.passport_fpr;
    if (document.signature !== undefined) {
      const reason = await findSignatureFault(document.signature, passportFpr, bytes);
      if (reason) throw new PackNotVerified({ reason, pack_hash: hash }, FAULTS[reason]);
    }
    const prepared = await this.reading.read(caller, document, principalMap);
    const signature = document.signature === undefined ? 'absent' : 'verified';
    return { hash, passportFpr: passportFpr ?? null, signature, prepared };
  }

  /** In the open unit of work. @throws ValidationFailed for a source_receipt that there is not */
  async store(caller: PackCaller, read: ReadPack, deadline: AbortSignal): Promise<Stored> {
    // Two imports that go over the same entries, one after the other: the second finds what the first stored.
    await this.tenancy.lock('svc memory import');
    const { prepared } = read;
    const facts = await this.facts.store(caller, prepared.facts, deadline);
    const sessions = await this.sessions.storeAll(prepared.sessions);
    const cases = await this.cases.findNew(prepared.cases);
    const candidates = await this.candidates.findNew(prepared.candidates);
    const engrams = await this.storeEngrams(prepared.engrams, caller.principal);
    const counts: PackCounts = {
      facts: { imported: facts.imported, superseded: facts.superseded, skipped: facts.skipped },
      sessions: { imported: sessions, superseded: 0, skipped: prepared.sessions.length - sessions },
      entities: await this.storeEntities(prepared.entities, caller.principal),
      edges: await this.storeEdges(prepared.edges, caller.principal),
      relations: await this.storeRelations(prepared.relations, caller.principal),
      cases: countsOf(prepared.cases, cases),
      candidates: countsOf(prepared.candidates, candidates),
      engrams: engrams.counts,
      engram_labels: engrams.labels,
    };
    deadline.throwIfAborted();
    const receiptId = await this.record(caller, read, counts);
    if (receiptId !== null) {
      await this.cases.storeAll(cases, receiptId);
      await this.candidates.storeAll(candidates, receiptId);
      await this.engrams.moveLabels(caller, engrams.moves);
    }
    return replyOf(read, facts, counts, receiptId);
  }

  /** Versions are stored; labels are moved once there is a receipt. */
  private async storeEngrams(engrams: readonly ImportedEngram[], actor: string) {
    const counts = { ...NOTHING };
    const labels = { ...NOTHING };
    const moves: LabelMove[] = [];
    for (const page of pageOf(engrams)) {
      addTo(counts, await this.engrams.storeVersions(page, actor));
      const found = await this.engrams.findMoves(page);
      addTo(labels, found.counts);
      moves.push(...found.moves);
    }
    return { counts, labels, moves };
  }

  private storeEntities(entities: readonly ImportedEntity[], actor: string): Promise<ListCounts> {
    return storeNew(entities, {
      match: (page) => this.graph.matchEntities(page),
      store: (page) => this.graph.storeEntities(page, actor),
    });
  }

  private storeEdges(edges: readonly ImportedEdge[], actor: string): Promise<ListCounts> {
    return storeNew(edges, {
      match: (page) => this.graph.matchEdges(page),
      store: (page) => this.graph.storeEdges(page, actor),
    });
  }

  private storeRelations(relations: readonly ImportedRelation[], actor: string): Promise<ListCounts> {
    return storeNew(relations, {
      match: (page) => this.relations.match(page),
      store: (page) => this.relations.storeAll(page, actor),
    });
  }

  /** Where something changed. Late: from here on other writers of the tenant's receipts wait. */
  private async record(caller: PackCaller, read: ReadPack, counts: PackCounts): Promise<string | null> {
    if (Object.values(counts).every(({ imported }: ListCounts) => imported === 0)) return null;
    const { receiptId } = await this.audit.record(caller, {
      kind: MEMORY_IMPORTED,
      subject: read.hash,
      facts: {
        packHash: read.hash,
        packPassportFpr: read.passportFpr,
        signature: read.signature,
        counts,
        screened: read.prepared.screened.length,
        screenedAt: read.prepared.screened.slice(0, MAX_PLACES_OF_RECEIPT),
      },
    });
    return receiptId;
  }
}

interface Target<T> {
  match: (page: readonly T[]) => Promise<('same' | 'other' | 'none')[]>;
  store: (page: readonly T[]) => Promise<unknown>;
}

const NOTHING: ListCounts = { imported: 0, superseded: 0, skipped: 0 };

function addTo(sum: ListCounts, more: ListCounts): void {
  for (const name of ['imported', 'superseded', 'skipped'] as const) sum[name] += more[name];
}

const countsOf = (all: readonly object[], fresh: readonly object[]): ListCounts => ({
  ...{ imported: fresh.length, superseded: 0, skipped: all.length - fresh.length },
});

/** What is there as it is stays untouched: a new version would say that something changed. */
async function storeNew<T>(items: readonly T[], { match, store }: Target<T>): Promise<ListCounts> {
  const counts = { ...NOTHING };
  for (const page of pageOf(items)) {
    const found = await match(page);
    const fresh = page.filter((_, place) => found[place] !== 'same');
    await store(fresh);
    counts.imported += fresh.length;
    counts.superseded += found.filter((one) => one === 'other').length;
    counts.skipped += page.length - fresh.length;
  }
  return counts;
}

const replyOf = (read: ReadPack, facts: FactCounts, lists: PackCounts, receiptId: string | null): Stored => ({
  ok: true,
  pack_hash: read.hash,
  pack_passport_fpr: read.passportFpr,
  signature: read.signature,
  imported_facts: facts.imported,
  collisions_superseded: facts.superseded,
  skipped_duplicate_facts: facts.skipped,
  imported_sessions: lists.sessions.imported,
  skipped_sessions: lists.sessions.skipped,
  private_facts: facts.private,
  screened: read.prepared.screened.length,
  screened_at: read.prepared.screened.slice(0, MAX_PLACES),
  lists,
  receipt_id: receiptId,
});

const FAULTS = {
  malformed_signature:
    'signature must be {"algorithm": "Ed25519", "public_key": 32 bytes, "value": 64 bytes}, both in base64url; or leave it out',
  fingerprint_mismatch: 'passport_fpr is not the RFC 7638 thumbprint of signature.public_key',
  signature_invalid: 'The signature does not hold over this pack; nothing of it was used',
};
