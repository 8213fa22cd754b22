import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { isDatabaseUnavailable } from '../database/unavailable.js';

/** What requests of one line have done together. */
export interface GroupedWork<Request, Reply> {
  /** How many of those that wait go together, from the first on: at least one. */
  take(waiting: readonly Request[]): number;
  /**
   * Does them in one transaction, which is committed when it returns.
   * @returns what each is answered, in their order; an Error refuses that one alone
   */
  write(requests: readonly Request[]): Promise<readonly (Reply | Error)[]>;
}

interface Waiting<Request, Reply> {
  request: Request;
  settle: (reply: Reply) => void;
  fail: (error: unknown) => void;
}

/**
 * A transaction costs as much as several requests, so it pays to wait a moment for clients that have just been answered
 * and are about to send again: it waits until as many requests have arrived as were in the one before, but only for
 * turns of the event loop, and only while they keep arriving.
 */
const TURNS_WITHOUT_ARRIVAL = 10;
const MAX_REMEMBERED_LINES = 1024;

/**
 * Group commit in the process: requests of a line that wait while others are being written go together in the next
 * transaction. Each is acknowledged after its commit. The callers have no unit of work open.
 */
export class GroupCommit<Request, Reply> {
  private readonly lines = new Map<string, Waiting<Request, Reply>[]>();
  /** How many requests went together in a line's last transaction. */
  private readonly together = new LRUCache<string, number>({ max: MAX_REMEMBERED_LINES });

  constructor(private readonly work: GroupedWork<Request, Reply>) {}

  /** @param line requests of one line go together: those of one tenant, for one */
  add(line: string, request: Request): Promise<Reply> {
    return new Promise((settle, fail) => {
      const waiting = this.lines.get(line);
      const own = { request, settle, fail };
      if (waiting) waiting.push(own);
      else void this.empty(line, [own]);
    });
  }

  /** One transaction after the other: what arrives while one is in progress goes with the next. */
  private async empty(line: string, waiting: Waiting<Request, Reply>[]): Promise<void> {
    this.lines.set(line, waiting);
    while (waiting.length > 0) {
      await gather(waiting, this.together.get(line) ?? 1);
      const group = waiting.splice(0, this.work.take(waiting.map(({ request }) => request)));
      this.together.set(line, group.length);
      await this.write(group);
    }
    this.lines.delete(line);
  }

  private async write(group: readonly Waiting<Request, Reply>[]): Promise<void> {
    try {
      const replies = await this.work.write(group.map(({ request }) => request));
      for (const [place, { settle, fail }] of group.entries()) {
        const reply = replies[place] as Reply | Error;
        if (reply instanceof Error) fail(reply);
        else settle(reply);
      }
    } catch (error) {
      if (group.length > 1 && isRefused(error)) return this.writeApart(group);
      for (const { fail } of group) fail(error);
    }
  }

  /** The database rejected the whole: an error of one request must not fail the others. */
  private async writeApart(group: readonly Waiting<Request, Reply>[]): Promise<void> {
    for (const one of group) await this.write([one]);
  }
}

function isRefused(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof DatabaseError && !isDatabaseUnavailable(cause);
}

async function gather(waiting: readonly unknown[], expected: number): Promise<void> {
  let before = waiting.length;
  for (let turns = 0; waiting.length < expected && turns < TURNS_WITHOUT_ARRIVAL; turns++) {
    await nextTurn();
    if (waiting.length > before) turns = 0;
    before = waiting.length;
  }
}
