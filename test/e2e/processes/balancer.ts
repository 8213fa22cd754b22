import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const PROBE_MS = 500;

/** What a client sends; answered well by any 2xx. */
export interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * What a balancer and its clients do: it probes every half second, and spreads requests in turn over the servers that
 * are ready.
 */
export class Balancer {
  /** One connection of each client to each server is kept, as proxies keep theirs. */
  private readonly agent = new Agent({ keepAlive: true });
  private readonly ready = new Map<string, boolean>();
  private readonly work: Promise<void>[] = [];
  private isOver = false;
  private turn = 0;
  readonly failures: string[] = [];
  answered = 0;

  constructor(
    private readonly urls: string[],
    private readonly next: () => Sent,
    clients: number,
  ) {
    this.work.push(...urls.map((url) => this.probe(url)), ...Array.from({ length: clients }, () => this.ask()));
  }

  isReady(url: string): boolean {
    return this.ready.get(url) ?? false;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.work);
    this.agent.destroy();
  }

  private async probe(url: string): Promise<void> {
    while (!this.isOver) {
      const isReady = await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      this.ready.set(url, isReady);
      await sleep(PROBE_MS);
    }
  }

  private async ask(): Promise<void> {
    while (!this.isOver) {
      const ready = this.urls.filter((url) => this.isReady(url));
      const url = ready[(this.turn += 1) % Math.max(1, ready.length)];
      if (url) await this.send(url);
      await sleep(20);
    }
  }

  private send(url: string): Promise<void> {
    const { path, body, ...options } = this.next();
    return new Promise((resolve) => {
      const fail = (what: string): void => {
        this.failures.push(what);
        resolve();
      };
      const sent = request(url + path, { agent: this.agent, ...options }, (answer) => {
        answer.resume().once('error', ({ message }) => fail(message));
        answer.once('end', () => {
          if (Math.floor(answer.statusCode! / 100) !== 2) return fail(`${path}: ${answer.statusCode}`);
          this.answered += 1;
          resolve();
        });
      });
      sent.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message)).end(body);
    });
  }
}
