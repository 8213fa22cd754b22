/** No place is left, or the turn did not come in time. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/** What is done at once, and what may wait. */
export interface QueueLimits {
  /** How many pieces of work are done at once; one where nothing is said. */
  atOnce?: number;
  /** How many of these one client may have; all of them where nothing is said. */
  ofClient?: number;
  /** As many as want to where nothing is said. */
  places?: number;
  bytes?: number;
  /** Who waits longer is rejected; nobody where nothing is said. */
  waitMs?: number;
  /**
   * That time begins again with each piece of work that ends, and lasts for so many times as long in all; where nothing
   * is said it does not begin again.
   */
  timeouts?: number;
}

interface Waiting {
  bytes: number;
  start: () => void;
}

/**
 * Does one piece of work at a time, or a few. Of those that wait, the client goes first that has the fewest under way,
 * and of several such clients the one whose turn was longest ago: however many one sends, each other waits for at most
 * one of them.
 */
export class FairQueue {
  /** Of several clients with as few under way, the one that stands first is next. */
  private readonly clients = new Map<string, Waiting[]>();
  private readonly underWay = new Map<string, number>();
  private running = 0;
  private waiting = 0;
  private bytes = 0;
  /** When a piece of work last ended, by performance.now(). */
  private movedAt = 0;

  constructor(private readonly limits: QueueLimits) {}

  /** @throws QueueFull */
  async run<T>(client: string, bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.running < (this.limits.atOnce ?? 1) && this.mayBegin(client)) this.begin(client);
    else await this.wait(client, bytes);
    try {
      return await work();
    } finally {
      this.end(client);
    }
  }

  private underWayOf(client: string): number {
    return this.underWay.get(client) ?? 0;
  }

  private mayBegin(client: string): boolean {
    return this.underWayOf(client) < (this.limits.ofClient ?? Infinity);
  }

  private begin(client: string): void {
    this.running += 1;
    this.underWay.set(client, this.underWayOf(client) + 1);
  }

  private end(client: string): void {
    this.movedAt = performance.now();
    this.running -= 1;
    const left = this.underWayOf(client) - 1;
    if (left > 0) this.underWay.set(client, left);
    else this.underWay.delete(client);
    this.startNext();
  }

  private startNext(): void {
    let next: string | undefined;
    for (const client of this.clients.keys())
      if (this.mayBegin(client) && (next === undefined || this.underWayOf(client) < this.underWayOf(next)))
        next = client;
    if (next === undefined) return;
    this.begin(next);
    this.takeFirst(next).start();
  }

  /** The client that is served goes to the end. */
  private takeFirst(client: string): Waiting {
    const all = this.clients.get(client)!;
    const first = all.shift()!;
    this.clients.delete(client);
    if (all.length > 0) this.clients.set(client, all);
    this.count(first, -1);
    return first;
  }

  private count({ bytes }: Waiting, by: 1 | -1): void {
    this.waiting += by;
    this.bytes += by * bytes;
  }

  private wait(client: string, bytes: number): Promise<void> {
    const { places = Infinity, bytes: mostBytes = Infinity } = this.limits;
    if (this.waiting >= places || this.bytes + bytes > mostBytes) throw new QueueFull();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one = { bytes, start: resolve };
    const all = this.clients.get(client);
    if (all) all.push(one);
    else this.clients.set(client, [one]);
    this.count(one, 1);
    const stop = this.giveUpInTime(() => {
      this.remove(client, one);
      reject(new QueueFull());
    });
    return promise.finally(stop);
  }

  /** @returns how to stop */
  private giveUpInTime(giveUp: () => void): () => void {
    const { waitMs, timeouts = 1 } = this.limits;
    if (waitMs === undefined) return () => undefined;
    const began = performance.now();
    const look = (): void => {
      const moved = Math.max(began, timeouts > 1 ? this.movedAt : 0);
      const left = Math.min(moved + waitMs, began + timeouts * waitMs) - performance.now();
      if (left > 0) timer = setTimeout(look, left);
      else giveUp();
    };
    let timer = setTimeout(look, waitMs);
    return () => clearTimeout(timer);
  }

  private remove(client: string, one: Waiting): void {
    const all = this.clients.get(client)!;
    all.splice(all.indexOf(one), 1);
    if (all.length === 0) this.clients.delete(client);
    this.count(one, -1);
  }
}
