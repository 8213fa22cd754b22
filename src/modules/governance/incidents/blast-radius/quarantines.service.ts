import { Injectable } from '@nestjs/common';
import { type Actor, UNATTESTED } from '../../../../common/evidence-log/audit-trail.js';
import { EvidenceService } from '../../../../common/evidence-log/evidence.service.js';
import { BROUGHT_BACK, digestOfId, QUARANTINE_STREAM, SET_ASIDE } from '../../../../common/evidence-log/set-aside.js';
import type { Digest } from '../../../../evidence/digest.js';
import { DocumentQuarantineService } from '../../../knowledge/ingest/document-quarantine.service.js';
import { CaseQuarantineService } from '../../../memory/cases/case-quarantine.service.js';
import { FactQuarantineService } from '../../../memory/facts/fact-quarantine.service.js';
import type { BlastRadiusRow } from './blast-radius.entity.js';
import type { NodeKind } from './blast-radius.types.js';
import { RadiusStore } from './radius.store.js';

type Counts = Partial<Record<NodeKind, number>>;
type Walk = Pick<BlastRadiusRow, 'radiusId' | 'incidentId'>;

/** Things that one receipt names. */
const BATCH = 500;

/**
 * Sets aside the documents, facts and cases of a walk. What several walks have aside comes back with the last of them.
 * In the open unit of work, in which nobody else does so.
 */
@Injectable()
export class QuarantinesService {
  constructor(
    private readonly store: RadiusStore,
    private readonly documents: DocumentQuarantineService,
    private readonly facts: FactQuarantineService,
    private readonly cases: CaseQuarantineService,
    private readonly evidence: EvidenceService,
  ) {}

  /** @returns how much of the walk is aside by kind, how many records that were found before, and receipts of these */
  async setAside(by: Actor, walk: Walk): Promise<{ setAside: Counts; records: Counts; receipts: string[] }> {
    const { radiusId } = walk;
    const nodes = await this.store.findToSetAside(radiusId);
    const documents = await this.documents.setAside(by.principal, documentsOf(nodes));
    const facts = await this.facts.setAside(idsOf('fact', nodes));
    const cases = await this.cases.setAside(idsOf('case', nodes));
    return {
      setAside: await this.store.markSetAside(radiusId),
      records: { document: documents.length, fact: facts.length, case: cases.length },
      receipts: await this.sign(by, SET_ASIDE, walk, [
        ...documents,
        ...digestsOf('fact', facts),
        ...digestsOf('case', cases),
      ]),
    };
  }

  /** @returns how many records are found again, how much stays aside for another walk, and receipts of what does not */
  async bringBack(by: Actor, walk: Walk): Promise<{ back: Counts; kept: Counts; receipts: string[] }> {
    const { radiusId } = walk;
    const all = await this.store.findSetAside(radiusId);
    const free = all.filter(({ kept }) => !kept);
    const documents = await this.documents.bringBack(documentsOf(free));
    const facts = await this.facts.bringBack(idsOf('fact', free), await this.store.findFactsKept(radiusId));
    const cases = await this.cases.bringBack(idsOf('case', free));
    const kept = all.filter((node) => node.kept);
    return {
      back: { document: documents.length, fact: facts.found, case: cases.length },
      kept: {
        document: documentsOf(kept).length,
        fact: idsOf('fact', kept).length,
        case: idsOf('case', kept).length,
      },
      receipts: await this.sign(by, BROUGHT_BACK, walk, [
        ...documents,
        ...digestsOf('fact', facts.released),
        ...digestsOf('case', cases),
      ]),
    };
  }

  /** Without the session of the caller: no erasure removes these receipts. @returns their ids */
  private async sign(by: Actor, kind: string, walk: Walk, all: readonly Digest[]): Promise<string[]> {
    const slices = Array.from({ length: Math.ceil(all.length / BATCH) }, (_, n) =>
      all.slice(n * BATCH, (n + 1) * BATCH),
    );
    const receipts = await this.evidence.recordMany(
      slices.map((digests) => ({
        ...{ kind, stream: QUARANTINE_STREAM, actor: by.principal, authMode: by.authType, subject: walk.radiusId },
        body: {
          ...{ incident_id: walk.incidentId, radius_id: walk.radiusId, count: digests.length, digests },
          ...(by.isUnattested ? UNATTESTED : {}),
        },
      })),
    );
    return receipts.map(({ receiptId }) => receiptId);
  }
}

const digestsOf = (kind: 'fact' | 'case', ids: readonly string[]): Digest[] => ids.map((id) => digestOfId(kind, id));

interface Aside {
  kind: NodeKind;
  key: string[];
}

const documentsOf = (nodes: readonly Aside[]) =>
  nodes
    .filter(({ kind }) => kind === 'document')
    .map(({ key: [corpusId, docId] }) => ({ corpusId: corpusId!, docId: docId! }));

const idsOf = (wanted: 'fact' | 'case', nodes: readonly Aside[]): string[] =>
  nodes.filter(({ kind }) => kind === wanted).map(({ key }) => key[0]!);
