import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { boundedCache } from '../caches/bounded-cache.js';
import { isDatabaseUnavailable } from '../database/unavailable.js';
import { Problem } from '../problem/problem.js';

/** What requests of one line have done together. */
export interface GroupedWork<Request, Reply> {
  /** How many of those that wait go together, from the first on: at least one. */
  take(waiting: readonly Request[]): number;
  /**
   * Does them by one statement or transaction, which is committed when it returns.
   * @returns what each is answered, in their order; an Error refuses that one alone
   */
  run(requests: readonly Request[]): Promise<readonly (Reply | Error)[]>;
  /** Of requests whose clients have more to do before they ask again: the next group waits for none of them. */
  waitsForNone?: true;
  /** Milliseconds between the beginnings of a line's groups, at least; the first after a pause begins at once. */
  everyMs?: number;
  /** The next group waits for the one before for so many milliseconds at most: for what only reads. */
  afterMs?: number;
}

interface Waiting<Request, Reply> {
  request: Request;
  settle: (reply: Reply) => void;
  fail: (error: unknown) => void;
}

/** Requests of one line that wait for the next group. */
interface Line<Request, Reply> {
  readonly waiting: Waiting<Request, Reply>[];
  /** Set while the line waits for more of them. */
  arrived?: () => void;
}

/**
 * A transaction costs as much as several requests, so it pays to wait a moment for clients that have just been answered
 * and are about to send again: as many as were written or waiting at the end of the one before. In milliseconds.
 */
const GATHER_MS = 1;
const MAX_REMEMBERED_LINES = 1024;

/**
 * Requests of a line that wait while others are being done go together in the next statement or transaction: group
 * commit, where they write, and each is acknowledged after its commit. The callers have no unit of work open.
 */
export class RequestGroups<Request, Reply> {
  private readonly lines = new Map<string, Line<Request, Reply>>();
  /** How many clients a line had at the end of its last group. */
  private readonly clients = boundedCache<number>(MAX_REMEMBERED_LINES);

  constructor(private readonly work: GroupedWork<Request, Reply>) {}

  /** @param line requests of one line go together: those of one tenant, for one */
  add(line: string, request: Request): Promise<Reply> {
    return new Promise((settle, fail) => {
      const open = this.lines.get(line);
      const own = { request, settle, fail };
      if (!open) return void this.empty(line, { waiting: [own] });
      open.waiting.push(own);
      open.arrived?.();
    });
  }

  /** One group after the other: what arrives while one is in progress goes with the next. */
  private async empty(name: string, line: Line<Request, Reply>): Promise<void> {
    const { waiting } = line;
    this.lines.set(name, line);
    while (waiting.length > 0) {
      const { waitsForNone, everyMs = 0, afterMs } = this.work;
      if (!waitsForNone) await this.gather(line, this.clients.get(name) ?? 1);
      const begun = performance.now();
      const group = waiting.splice(0, this.take(waiting));
      const done = this.run(group);
      await (afterMs === undefined ? done : within(afterMs, done));
      this.clients.set(name, group.length + waiting.length);
      if (everyMs > 0) await sleep(Math.max(0, begun + everyMs - performance.now()));
    }
    this.lines.delete(name);
  }

  private take(waiting: readonly Waiting<Request, Reply>[]): number {
    return this.work.take(waiting.map(({ request }) => request));
  }

  /** Until as many wait as are expected, or more than go together. */
  private async gather(line: Line<Request, Reply>, expected: number): Promise<void> {
    const { waiting } = line;
    const isComplete = () => waiting.length >= expected || this.take(waiting) < waiting.length;
    if (isComplete()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS);
      line.arrived = () => {
        if (!isComplete()) return void timer.refresh();
        clearTimeout(timer);
        resolve();
      };
    });
    delete line.arrived;
  }

  private async run(group: readonly Waiting<Request, Reply>[]): Promise<void> {
    try {
      const replies = await this.work.run(group.map(({ request }) => request));
      for (const [place, { settle, fail }] of group.entries()) {
        const reply = replies[place] as Reply | Error;
        if (reply instanceof Error) fail(reply);
        else settle(reply);
      }
    } catch (error) {
      if (group.length > 1 && isOfOne(error)) return this.runApart(group);
      for (const { fail } of group) fail(error);
    }
  }

  /** The whole was rolled back: an error of one request must not fail the others. */
  private async runApart(group: readonly Waiting<Request, Reply>[]): Promise<void> {
    for (const one of group) await this.run([one]);
  }
}

/**
 * How many requests go together, from the first on, which always does.
 * @param limits what each adds, and the most that goes together
 */
export function takeWithin<Request>(
  waiting: readonly Request[],
  ...limits: readonly [sizeOf: (request: Request) => number, most: number][]
): number {
  const sums = limits.map(() => 0);
  const end = waiting.findIndex((next) => limits.some(([sizeOf, most], n) => (sums[n]! += sizeOf(next)) > most));
  return end === -1 ? waiting.length : Math.max(1, end);
}

/** Once the work is done, or the time is over. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}

/** Whether an error may be that of one request: no other would have it. */
function isOfOne(error: unknown): boolean {
  if (error instanceof Problem) return true;
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof DatabaseError && !isDatabaseUnavailable(cause);
}
