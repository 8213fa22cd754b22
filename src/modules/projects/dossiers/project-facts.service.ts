import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { FactReadsService } from '../../memory/facts/fact-reads.service.js';
import type { FactRow } from '../../memory/facts/facts.types.js';
import { projectEntities } from '../projects/projects.types.js';
import { nameInProject, topicOf } from './project-facts.rules.js';
import type { StatedFact } from './project-facts.types.js';

/** Facts of a project that are looked at: the newest ones. */
const MAX_FACTS = 1_000;
/** Whom no fact belongs to: what is private stays out of what is made for all. */
export const NOBODY = 'nobody';

/** The facts of projects, by their entities (projectEntities). */
@Injectable()
export class ProjectFactsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly facts: FactReadsService,
  ) {}

  /** In the open unit of work: the current ones that everybody sees, by entity and key. */
  async list(projectId: string): Promise<FactRow[]> {
    const { entity, prefixes } = projectEntities(projectId);
    const reader = { tenantId: this.tenancy.tenant, principal: NOBODY, seesAll: false };
    const found: FactRow[] = [];
    for (const filter of [{ entity }, ...prefixes.map((entityPrefix) => ({ entityPrefix }))])
      found.push(...(await this.facts.best(reader, { filter, limit: MAX_FACTS })));
    return found
      .sort((a, b) => b.stored_at.getTime() - a.stored_at.getTime() || byName(a, b))
      .slice(0, MAX_FACTS)
      .sort(byName);
  }

  /** The same, each under its name in the project and with its topic. */
  async listStated(projectId: string): Promise<StatedFact[]> {
    return (await this.list(projectId)).map((fact) => statedOf(projectId, fact));
  }
}

const statedOf = (projectId: string, fact: FactRow): StatedFact => ({
  ...{ factId: fact.fact_id, entity: fact.entity, key: fact.key, value: fact.value, isCut: fact.value_truncated },
  ...{ name: nameInProject(projectId, fact), topic: topicOf(projectId, fact), actor: fact.actor },
  ...{ confidence: fact.confidence, version: fact.version, storedAt: fact.stored_at, receiptId: fact.receipt_id },
});

const byName = (a: FactRow, b: FactRow): number => compare(a.entity, b.entity) || compare(a.key, b.key);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
