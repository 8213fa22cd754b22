import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What came back: answers by status, and how many of the refused did not say when to come again. */
export interface Tally {
  statuses: Record<string, number>;
  withoutRetryAfter: number;
  sent: number;
  seconds: number;
}

/** Counts the answers on connections without making anything else of them. */
class AnswerCounter {
  readonly tally: Tally = { statuses: {}, withoutRetryAfter: 0, sent: 0, seconds: 0 };

  watch(socket: Socket, answered: () => void = () => undefined): void {
    let text = '';
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (more: string) => {
      text += more;
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end).toLowerCase();
        const size = end + 4 + Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
        if (text.length < size) return;
        text = text.slice(size);
        this.count(head);
        answered();
      }
    });
  }

  get answered(): number {
    return Object.values(this.tally.statuses).reduce((sum, count) => sum + count, 0);
  }

  private count(head: string): void {
    const status = head.slice(9, 12);
    this.tally.statuses[status] = (this.tally.statuses[status] ?? 0) + 1;
    if ((status === '429' || status === '503') && !/\r\nretry-after: [1-9]\d*/.test(head))
      this.tally.withoutRetryAfter += 1;
  }
}

export interface Flood {
  port: number;
  sockets: number;
  perSecond: number;
  seconds: number;
  request: string;
}

const TICK_MS = 10;

/**
 * So many requests a second over so many kept connections, each of which waits for its answer before it sends again.
 */
export async function flood({ port, sockets, perSecond, seconds, request }: Flood): Promise<Tally> {
  const counter = new AnswerCounter();
  const idle = await openMany(port, sockets);
  const all = [...idle];
  for (const socket of all) counter.watch(socket, () => idle.push(socket));
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  for (let due = 0; elapsed() < seconds; await sleep(TICK_MS)) {
    due = Math.floor(elapsed() * perSecond);
    for (; counter.tally.sent < due && idle.length > 0; counter.tally.sent += 1) idle.pop()!.write(request);
  }
  counter.tally.seconds = elapsed();
  await untilAnswered(counter, counter.tally.sent);
  for (const socket of all) socket.destroy();
  return counter.tally;
}

/** Connections that each send the beginning of a request and leave it at that. */
export interface Held {
  tally: () => Tally;
  /** Those that got no answer send this. */
  finish(rest: string): Promise<Tally>;
  close(): void;
}

/** @param addresses of loopback that they come from in turn */
export async function hold(port: number, sockets: number, addresses: number, beginning: string): Promise<Held> {
  const counter = new AnswerCounter();
  const open: Socket[] = [];
  const answered = new Set<Socket>();
  while (open.length < sockets)
    open.push(
      ...(await openMany(
        port,
        Math.min(100, sockets - open.length),
        `127.0.1.${1 + ((open.length / 100) % addresses)}`,
      )),
    );
  for (const socket of open) {
    counter.watch(socket);
    socket.once('data', () => answered.add(socket));
    socket.write(beginning);
    counter.tally.sent += 1;
  }
  return {
    tally: () => counter.tally,
    finish: async (rest) => {
      for (const socket of open) if (!answered.has(socket)) socket.write(rest);
      await untilAnswered(counter, sockets);
      return counter.tally;
    },
    close: () => open.forEach((socket) => socket.destroy()),
  };
}

/** Resolves when all are answered, or nothing more came for some seconds. */
async function untilAnswered(counter: AnswerCounter, expected: number): Promise<void> {
  for (let last = -1; counter.answered < expected && counter.answered !== last;) {
    last = counter.answered;
    for (let waited = 0; waited < 5_000 && counter.answered < expected; waited += 50) await sleep(50);
  }
}

const openMany = (port: number, count: number, localAddress?: string): Promise<Socket[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port, host: '127.0.0.1', ...(localAddress ? { localAddress } : {}) });
      await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
      return socket;
    }),
  );
