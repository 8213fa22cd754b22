import { Injectable } from '@nestjs/common';
import { DocumentQuarantineService } from '../../../knowledge/ingest/document-quarantine.service.js';
import { FactQuarantineService } from '../../../memory/facts/fact-quarantine.service.js';
import type { NodeKind } from './blast-radius.types.js';
import { RadiusStore } from './radius.store.js';

type Counts = Partial<Record<NodeKind, number>>;

/**
 * Sets aside the documents and facts of a walk. What several walks have aside comes back with the last of them. In the
 * open unit of work, in which nobody else does so.
 */
@Injectable()
export class QuarantinesService {
  constructor(
    private readonly store: RadiusStore,
    private readonly documents: DocumentQuarantineService,
    private readonly facts: FactQuarantineService,
  ) {}

  /** @returns how much of the walk is aside by kind, and how many records that were found before */
  async setAside(actor: string, radiusId: string): Promise<{ setAside: Counts; records: Counts }> {
    const nodes = await this.store.findToSetAside(radiusId);
    const documents = await this.documents.setAside(actor, documentsOf(nodes));
    const facts = await this.facts.setAside(factsOf(nodes));
    return {
      setAside: await this.store.markSetAside(radiusId),
      records: { document: documents.length, fact: facts.length },
    };
  }

  /** @returns how many records are found again, and how much stays aside for another walk */
  async bringBack(radiusId: string): Promise<{ back: Counts; kept: Counts }> {
    const all = await this.store.findSetAside(radiusId);
    const free = all.filter(({ kept }) => !kept);
    const documents = await this.documents.bringBack(documentsOf(free));
    const facts = await this.facts.bringBack(factsOf(free), await this.store.findFactsKept(radiusId));
    const kept = all.filter((node) => node.kept);
    return {
      back: { document: documents.length, fact: facts },
      kept: { document: documentsOf(kept).length, fact: factsOf(kept).length },
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

const factsOf = (nodes: readonly Aside[]): string[] =>
  nodes.filter(({ kind }) => kind === 'fact').map(({ key }) => key[0]!);
