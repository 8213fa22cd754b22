import { Injectable } from '@nestjs/common';
import { readEach } from '../../../common/fields/read-each.js';
import { invalid } from '../../../common/problem/common-problems.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import { FactMatchesStore } from './fact-matches.store.js';
import { FactWritesStore } from './fact-writes.store.js';
import { StoreFactRequest } from './facts.dto.js';
import { checkValidity, draftOf, type FactAuthor, writerOf } from './facts.service.js';
import { ownerOf, publicChain } from './facts.rules.js';
import { VISIBILITY, type FactDraft, type FactMatch, type StoredFact } from './facts.types.js';

/** Of facts that are stored in bulk: who deletes a fact meanwhile does not wait. */
const IMPORTS = 'facts.imports';
/** Facts of one batch. */
const AT_ONCE = 1000;

/** A fact as PUT /v1/facts takes it. */
export class ImportedFact extends StoreFactRequest {}

/**
 * Facts supplied by another module, stored in its unit of work: first `prepare`, which may take a while, then `store`.
 */
@Injectable()
export class FactImportsService {
  constructor(
    private readonly writes: FactWritesStore,
    private readonly matches: FactMatchesStore,
  ) {}

  /**
   * Reads facts as PUT /v1/facts/bulk takes them.
   * @param where the path of the list, for what is wrong with it
   * @throws ValidationFailed
   */
  async prepare(caller: DaemonCaller, facts: readonly unknown[], where: string): Promise<FactDraft[]> {
    const drafts: FactDraft[] = [];
    for await (const { item, path } of readEach(StoreFactRequest, facts, where)) {
      checkValidity(item, path);
      if (item.private)
        throw invalid(`${path}.private`, 'must be false here; store private facts one by one by PUT /v1/facts');
      drafts.push(await draftOf(caller, item, path));
    }
    return drafts;
  }

  /** In the open unit of work. @throws ValidationFailed for an unknown source_receipt */
  async store(caller: DaemonCaller, drafts: readonly FactDraft[]): Promise<StoredFact[]> {
    return drafts.length === 0 ? [] : this.writes.storeInUnit(drafts, writerOf(caller));
  }

  /**
   * One fact as PUT /v1/facts takes it.
   * @param owner whose private fact it is, where that is not the author
   * @throws ValidationFailed for a validity that ends before it begins
   */
  async draft(author: FactAuthor, fact: StoreFactRequest, path: string, owner?: string): Promise<FactDraft> {
    checkValidity(fact, path);
    const draft = await draftOf(author, fact, path);
    return owner === undefined || draft.visibility !== VISIBILITY.private ? draft : { ...draft, owner: ownerOf(owner) };
  }

  /** In the open unit of work: what the tenant has of each of them, in their order. */
  match(drafts: readonly FactDraft[]): Promise<FactMatch[]> {
    return this.matches.find(drafts);
  }

  /** In the open unit of work, at once, with one receipt. @throws ValidationFailed for an unknown source_receipt */
  async storeBatch(by: Actor, drafts: readonly FactDraft[]): Promise<void> {
    if (drafts.length > 0) await this.writes.storeInUnit(drafts, writerOf(by), IMPORTS);
  }

  /** In the open unit of work: deletes public facts with all their versions; what is deleted already stays so. */
  async retireAll(by: Actor, facts: readonly { entity: string; key: string }[]): Promise<void> {
    const chains = facts.map(({ entity, key }) => publicChain(entity, key));
    for (let from = 0; from < chains.length; from += AT_ONCE)
      await this.writes.retireAll(chains.slice(from, from + AT_ONCE), ownerOf(by.principal), writerOf(by), IMPORTS);
  }
}
