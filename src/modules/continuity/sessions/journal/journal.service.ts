import { Injectable } from '@nestjs/common';
import { canonicalText } from '../../../../evidence/canonical-json.js';
import { HomesStore } from './homes.store.js';
import { JournalEventDiffers } from './journal.problems.js';
import { JournalStore, type JournalFilter, type JournalPage } from './journal.store.js';
import type { Appended, JournalDraft, JournalEntry } from './journal.types.js';

/**
 * The journals of agents, for the modules that write entries. Needs an open unit of work: an entry exists exactly when
 * its effect does. An entry holds its agent's home until the unit of work ends. So that no two of them wait for each
 * other: append for several agents in the order of their ids, and before a receipt is recorded; where the entry names
 * the receipt, {@link hold} the home before.
 */
@Injectable()
export class JournalService {
  constructor(
    private readonly homes: HomesStore,
    private readonly store: JournalStore,
  ) {}

  /** Keeps others out of the agent's home until the unit of work ends. */
  async hold(agentId: string): Promise<void> {
    await this.homes.hold(agentId);
  }

  /**
   * Adds an entry, numbered without a gap; an event that the journal holds already under its eventId is not added
   * again.
   * @throws JournalEventDiffers where the eventId stands for something else
   */
  async append(agentId: string, draft: JournalDraft): Promise<Appended> {
    const homeId = await this.homes.hold(agentId);
    const known = draft.eventId === undefined ? undefined : await this.store.findEvent(homeId, draft.eventId);
    if (!known) return { entry: await this.store.append(homeId, draft), duplicate: false };
    if (isSame(known, draft)) return { entry: known, duplicate: true };
    throw new JournalEventDiffers(
      { eventId: known.eventId!, seq: known.seq },
      'An eventId names one event for ever; give another event an eventId of its own',
    );
  }

  /** Entries of an agent; none where nobody has written for it. */
  async find(agentId: string, filter: JournalFilter, page: JournalPage): Promise<JournalEntry[]> {
    const homeId = await this.homes.find(agentId);
    return homeId === undefined ? [] : this.store.find(homeId, filter, page);
  }

  /** How many entries an agent's journal has. */
  async count(agentId: string): Promise<number> {
    const homeId = await this.homes.find(agentId);
    return homeId === undefined ? 0 : this.store.count(homeId);
  }
}

const isSame = (known: JournalEntry, { type, subject, data }: JournalDraft): boolean =>
  canonicalText([known.type, known.subject, known.data]) ===
  canonicalText([type, subject, JSON.parse(JSON.stringify(data))]);
