import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DatabaseError } from 'pg';
import { isDatabaseUnavailable } from '../../../common/database/unavailable.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { FactWritesStore, sourceUnknown } from './fact-writes.store.js';
import type { FactDraft, FactWriter, StoredFact } from './facts.types.js';

/** One request's facts, waiting to be stored. */
interface Waiting {
  drafts: readonly FactDraft[];
  by: FactWriter;
  characters: number;
  settle: (stored: StoredFact[]) => void;
  fail: (error: unknown) => void;
}

interface Queue {
  tenantId: string;
  /** The stream of its receipts. */
  lane: string;
  waiting: Waiting[];
  isBusy: boolean;
}

/**
 * Bounds of a gathered statement. A request that is larger waits in a line of its own, so that single facts do not wait
 * for it.
 */
const MAX_FACTS = 64;
const MAX_CHARACTERS = 1024 * 1024;
/**
 * A statement costs as much as eight facts, so it pays to wait a moment for clients that have just been answered and
 * are about to send again: a statement waits until as many requests have arrived as were in the one before, but only
 * for turns of the event loop, and only while they keep arriving.
 */
const TURNS_WITHOUT_ARRIVAL = 10;
const MAX_REMEMBERED_LINES = 1024;
/** The actor of a receipt over the facts of more than one principal; no principal is named so. */
const SEVERAL = 'several';
/** Event subscribers are notified of a commit at once, but no more often than this while commits follow each other. */
const ANNOUNCE_EVERY_MS = 200;

/**
 * Group commit in the process: requests of a tenant that wait while others are being stored go together in the next
 * statement, with one receipt. Each is acknowledged after its commit, and all of its facts are stored or none.
 */
@Injectable()
export class FactWrites {
  private readonly queues = new Map<string, Queue>();
  /** How many requests went together in a line's last statement. */
  private readonly together = new LRUCache<string, number>({ max: MAX_REMEMBERED_LINES });
  private announcing: NodeJS.Timeout | undefined;
  private announcedAt = 0;

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
    const line = `${lane} ${by.authType} ${tenantId}`;
    const queue = this.queues.get(line) ?? { tenantId, lane, waiting: [], isBusy: false };
    this.queues.set(line, queue);
    return new Promise((settle, fail) => {
      queue.waiting.push({ drafts, by, characters, settle, fail });
      if (!queue.isBusy) void this.empty(line, queue);
    });
  }

  /** One statement after the other: what arrives while one is in progress goes with the next. */
  private async empty(line: string, queue: Queue): Promise<void> {
    queue.isBusy = true;
    while (queue.waiting.length > 0) {
      await gather(queue.waiting, this.together.get(line) ?? 1);
      const batch = takeBatch(queue.waiting);
      this.together.set(line, batch.length);
      await this.storeTogether(queue, await this.withSources(queue, batch));
    }
    this.queues.delete(line);
  }

  /** Those that name no receipt that there is not; the others are refused. */
  private async withSources({ tenantId }: Queue, batch: Waiting[]): Promise<Waiting[]> {
    if (batch.every(({ drafts }) => drafts.every(({ source_receipt }) => source_receipt === undefined))) return batch;
    try {
      const unknown = new Set(
        await this.store.findUnknownSources(
          tenantId,
          batch.flatMap(({ drafts }) => drafts),
        ),
      );
      return batch.filter(({ drafts, fail }) => {
        const first = drafts.find((draft) => unknown.has(draft));
        if (first) fail(sourceUnknown(first));
        return !first;
      });
    } catch (error) {
      for (const { fail } of batch) fail(error);
      return [];
    }
  }

  private async storeTogether(queue: Queue, batch: Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const drafts = batch.flatMap((waiting) => waiting.drafts);
      const stored = await this.store.store(queue.tenantId, queue.lane, drafts, writerOf(batch));
      this.announceSoon();
      const byId = new Map(stored.map((fact) => [fact.fact_id, fact]));
      for (const { drafts, settle } of batch) settle(drafts.map(({ fact_id }) => byId.get(fact_id)!));
    } catch (error) {
      const isRefused = error instanceof DatabaseError && !isDatabaseUnavailable(error);
      if (batch.length > 1 && isRefused) return this.storeApart(queue, batch);
      for (const { fail } of batch) fail(error);
    }
  }

  /** Under load there is a commit every few milliseconds, and each announcement wakes readers in every process. */
  private announceSoon(): void {
    const pause = Math.max(0, this.announcedAt + ANNOUNCE_EVERY_MS - performance.now());
    this.announcing ??= setTimeout(() => {
      this.announcing = undefined;
      this.announcedAt = performance.now();
      this.outbox.announce();
    }, pause).unref();
  }

  /** The database rejected the whole statement: an error of one request must not fail the others. */
  private async storeApart(queue: Queue, batch: Waiting[]): Promise<void> {
    for (const waiting of batch) await this.storeTogether(queue, [waiting]);
  }
}

/** Of one who is not the only one, what all have in common. */
function writerOf([first, ...others]: Waiting[]): FactWriter {
  const { principal, authType, agentSession } = first!.by;
  return {
    principal: others.every(({ by }) => by.principal === principal) ? principal : SEVERAL,
    authType,
    agentSession: others.every(({ by }) => by.agentSession === agentSession) ? agentSession : undefined,
  };
}

async function gather(waiting: readonly Waiting[], expected: number): Promise<void> {
  let before = waiting.length;
  for (let turns = 0; waiting.length < expected && turns < TURNS_WITHOUT_ARRIVAL; turns++) {
    await nextTurn();
    if (waiting.length > before) turns = 0;
    before = waiting.length;
  }
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let facts = 0;
  let characters = 0;
  const end = waiting.findIndex((next) => {
    facts += next.drafts.length;
    characters += next.characters;
    return facts > MAX_FACTS || characters > MAX_CHARACTERS;
  });
  return waiting.splice(0, end === -1 ? waiting.length : Math.max(1, end));
}
