import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../common/outbox/outbox.js';
import { RequestGroups, takeWithin } from '../../../common/tenancy/request-groups.js';
import { FactSources } from './fact-sources.js';
import { NotExpected } from './fact-write-outcomes.js';
import { FactWritesStore, sessionFactsOf, sourceUnknown } from './fact-writes.store.js';
import type { FactDraft, FactWriter, StoredFact } from './facts.types.js';

/** One request's facts, to be stored. */
interface Asked {
  tenantId: string;
  /** The stream of its receipt. */
  lane: string;
  drafts: readonly FactDraft[];
  by: FactWriter;
  characters: number;
}

/**
 * Bounds of a gathered statement. A request that is larger waits in a line of its own, so that single facts do not wait
 * for it.
 */
const MAX_FACTS = 64;
const MAX_CHARACTERS = 1024 * 1024;
/** The actor of a receipt over the facts of more than one principal; no principal is named so. */
const SEVERAL = 'several';

/** Group commit of facts: those that are stored together have one receipt. All of a request are stored or none. */
@Injectable()
export class FactWrites {
  private readonly group = new RequestGroups<Asked, StoredFact[]>({
    take: (waiting) =>
      takeWithin(waiting, [({ drafts }) => drafts.length, MAX_FACTS], [({ characters }) => characters, MAX_CHARACTERS]),
    run: (batch) => this.storeTogether(batch),
  });

  constructor(
    private readonly store: FactWritesStore,
    private readonly outbox: Outbox,
    private readonly sources: FactSources,
  ) {}

  /**
   * @returns what was stored, in the order of the drafts
   * @throws ValidationFailed for a source that there is not, FactNotCurrent
   */
  async add(tenantId: string, asked: readonly FactDraft[], by: FactWriter): Promise<StoredFact[]> {
    const drafts = await this.sources.resolve(tenantId, asked, by);
    const characters = drafts.reduce((sum, { value }) => sum + value.length, 0);
    const isLarge = drafts.length > MAX_FACTS || characters > MAX_CHARACTERS;
    const lane = isLarge ? 'facts.bulk' : 'facts';
    // A receipt says how its actor was authenticated.
    return this.group.add(`${lane} ${by.authType} ${tenantId}`, { tenantId, lane, drafts, by, characters });
  }

  /** Those that name a receipt that there is not, or expect what is not current, are refused, and the others stored. */
  private async storeTogether(batch: readonly Asked[]): Promise<(StoredFact[] | Error)[]> {
    const { tenantId } = batch[0]!;
    const refused = new Map<Asked, Error>();
    const unknown = new Set(await this.store.findUnknownSources(tenantId, draftsOf(batch)));
    for (const [asked, draft] of firstOf(batch, (one) => unknown.has(one))) refused.set(asked, sourceUnknown(draft));
    const { stored, unexpected } = await this.storeExpected(batch.filter((asked) => !refused.has(asked)));
    for (const [asked, draft] of unexpected) refused.set(asked, await this.store.notCurrent(tenantId, draft));
    const byId = new Map(stored.map((fact) => [fact.fact_id, fact]));
    return batch.map((asked) => refused.get(asked) ?? asked.drafts.map(({ fact_id }) => byId.get(fact_id)!));
  }

  /** Again without those that are refused, until the others are stored. */
  private async storeExpected(
    batch: readonly Asked[],
  ): Promise<{ stored: StoredFact[]; unexpected: Map<Asked, FactDraft> }> {
    const unexpected = new Map<Asked, FactDraft>();
    for (;;) {
      try {
        return { stored: await this.storeAll(batch.filter((asked) => !unexpected.has(asked))), unexpected };
      } catch (error) {
        if (!(error instanceof NotExpected)) throw error;
        for (const [asked, draft] of firstOf(batch, ({ fact_id }) => error.factIds.includes(fact_id)))
          unexpected.set(asked, draft);
      }
    }
  }

  private async storeAll(batch: readonly Asked[]): Promise<StoredFact[]> {
    if (batch.length === 0) return [];
    const { tenantId, lane } = batch[0]!;
    const stored = await this.store.store(tenantId, lane, draftsOf(batch), writerOf(batch));
    this.outbox.announce();
    return stored;
  }
}

/** Of each request the first draft of which something holds; those without one are left out. */
const firstOf = (batch: readonly Asked[], holds: (draft: FactDraft) => boolean): [Asked, FactDraft][] =>
  batch.flatMap((asked): [Asked, FactDraft][] => {
    const draft = asked.drafts.find(holds);
    return draft ? [[asked, draft]] : [];
  });

const draftsOf = (batch: readonly Asked[]): FactDraft[] => batch.flatMap(({ drafts }) => drafts);

/** Of one who is not the only one, what all have in common. */
function writerOf([first, ...others]: readonly Asked[]): FactWriter {
  const { principal, authType, agentSession } = first!.by;
  return {
    principal: others.every(({ by }) => by.principal === principal) ? principal : SEVERAL,
    authType,
    agentSession: others.every(({ by }) => by.agentSession === agentSession) ? agentSession : undefined,
    isUnattested: [first!, ...others].some(({ by }) => by.isUnattested),
    ...(others.length > 0 && { sessions: [first!, ...others].flatMap(({ by, drafts }) => sessionFactsOf(by, drafts)) }),
  };
}
