/** No place is left, or the turn did not come in time. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/** What may wait. */
export interface QueueLimits {
  /** How many pieces of work are done at once; one where nothing is said. */
  atOnce?: number;
  /** As many as want to where nothing is said. */
  places?: number;
  bytes?: number;
  /** Who waits longer is refused; nobody where nothing is said. */
  waitMs?: number;
}

interface Waiting {
  bytes: number;
  start: () => void;
}

/**
 * Does one piece of work at a time, or a few. Those that wait take turns client by client: however many one sends, each
 * other waits for at most one of them.
 */
export class FairQueue {
  /** Whose turn is next stands first. */
  private readonly clients = new Map<string, Waiting[]>();
  private running = 0;

  constructor(private readonly limits: QueueLimits) {}

  /** @throws QueueFull */
  async run<T>(client: string, bytes: number, work: () => Promise<T>): Promise<T> {
    // Whoever waited takes the place of the one that ended.
    if (this.running >= (this.limits.atOnce ?? 1)) await this.wait(client, bytes);
    else this.running += 1;
    try {
      return await work();
    } finally {
      this.startNext();
    }
  }

  private async wait(client: string, bytes: number): Promise<void> {
    const { places = Infinity, bytes: mostBytes = Infinity, waitMs } = this.limits;
    const all = [...this.clients.values()].flat();
    const bytesInAll = all.reduce((sum, one) => sum + one.bytes, bytes);
    if (all.length >= places || bytesInAll > mostBytes) throw new QueueFull();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { bytes, start: resolve };
    this.clients.set(client, [...(this.clients.get(client) ?? []), waiting]);
    const giveUp = (): void => {
      this.remove(client, waiting);
      reject(new QueueFull());
    };
    const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
    await promise.finally(() => clearTimeout(timer));
  }

  /** The client that is served goes to the end. */
  private startNext(): void {
    const [next] = this.clients;
    if (!next) {
      this.running -= 1;
      return;
    }
    const [client, [first, ...others]] = next;
    this.clients.delete(client);
    if (others.length > 0) this.clients.set(client, others);
    first?.start();
  }

  private remove(client: string, waiting: Waiting): void {
    const left = (this.clients.get(client) ?? []).filter((one) => one !== waiting);
    if (left.length > 0) this.clients.set(client, left);
    else this.clients.delete(client);
  }
}
