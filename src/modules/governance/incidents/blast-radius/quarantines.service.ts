import { Injectable } from '@nestjs/common';
import { DocumentQuarantineService } from '../../../knowledge/ingest/document-quarantine.service.js';
import { CaseQuarantineService } from '../../../memory/cases/case-quarantine.service.js';
import { FactQuarantineService } from '../../../memory/facts/fact-quarantine.service.js';
import type { NodeKind } from './blast-radius.types.js';
import { RadiusStore } from './radius.store.js';

type Counts = Partial<Record<NodeKind, number>>;

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
  ) {}

  /** @returns how much of the walk is aside by kind, and how many records that were found before */
  async setAside(actor: string, radiusId: string): Promise<{ setAside: Counts; records: Counts }> {
    const nodes = await this.store.findToSetAside(radiusId);
    const documents = await this.documents.setAside(actor, documentsOf(nodes));
    const facts = await this.facts.setAside(idsOf('fact', nodes));
    const cases = await this.cases.setAside(idsOf('case', nodes));
    return {
      setAside: await this.store.markSetAside(radiusId),
      records: { document: documents.length, fact: facts.length, case: cases },
    };
  }

  /** @returns how many records are found again, and how much stays aside for another walk */
  async bringBack(radiusId: string): Promise<{ back: Counts; kept: Counts }> {
    const all = await this.store.findSetAside(radiusId);
    const free = all.filter(({ kept }) => !kept);
    const documents = await this.documents.bringBack(documentsOf(free));
    const facts = await this.facts.bringBack(idsOf('fact', free), await this.store.findFactsKept(radiusId));
    const cases = await this.cases.bringBack(idsOf('case', free));
    const kept = all.filter((node) => node.kept);
    return {
      back: { document: documents.length, fact: facts, case: cases },
      kept: {
        document: documentsOf(kept).length,
        fact: idsOf('fact', kept).length,
        case: idsOf('case', kept).length,
      },
    };
  }
}

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
