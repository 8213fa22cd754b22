import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../common/outbox/outbox.js';
import { GroupCommit } from '../../../common/tenancy/group-commit.js';
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
  private readonly group = new GroupCommit<Asked, StoredFact[]>({
    take: takeBatch,
    write: (batch) => this.storeTogether(batch),
  });

  constructor(
    private readonly store: FactWritesStore,
    private readonly outbox: Outbox,
  ) {}

  /** @returns what was stored, in the order of the drafts */
  add(tenantId: string, drafts: readonly FactDraft[], by: FactWriter): Promise<StoredFact[]> {
    const characters = drafts.reduce((sum, { value }) => sum + value.length, 0);
    const isLarge = drafts.length > MAX_FACTS || characters > MAX_CHARACTERS;
    const lane = isLarge ? 'facts.bulk' : 'facts';
    // A receipt says how its actor was authenticated.
    return this.group.add(`${lane} ${by.authType} ${tenantId}`, { tenantId, lane, drafts, by, characters });
  }

  /** Those that name a receipt that there is not are refused, and the others stored. */
  private async storeTogether(batch: readonly Asked[]): Promise<(StoredFact[] | Error)[]> {
    const unknown = new Set(await this.store.findUnknownSources(batch[0]!.tenantId, draftsOf(batch)));
    const firstUnknown = ({ drafts }: Asked) => drafts.find((draft) => unknown.has(draft));
    const good = unknown.size === 0 ? batch : batch.filter((asked) => !firstUnknown(asked));
    const stored = new Map((await this.storeAll(good)).map((fact) => [fact.fact_id, fact]));
    return batch.map((asked) => {
      const first = unknown.size === 0 ? undefined : firstUnknown(asked);
      return first ? sourceUnknown(first) : asked.drafts.map(({ fact_id }) => stored.get(fact_id)!);
    });
  }

  private async storeAll(batch: readonly Asked[]): Promise<StoredFact[]> {
    if (batch.length === 0) return [];
    const { tenantId, lane } = batch[0]!;
    const stored = await this.store.store(tenantId, lane, draftsOf(batch), writerOf(batch));
    this.outbox.announce();
    return stored;
  }
}

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

function takeBatch(waiting: readonly Asked[]): number {
  let facts = 0;
  let characters = 0;
  const end = waiting.findIndex((next) => {
    facts += next.drafts.length;
    characters += next.characters;
    return facts > MAX_FACTS || characters > MAX_CHARACTERS;
  });
  return end === -1 ? waiting.length : Math.max(1, end);
}
