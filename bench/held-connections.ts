import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { toMicroseconds } from './measures.js';

export interface HoldPlan {
  /** Origin of the tool service. */
  url: string;
  tenantId: string;
  apiKey: string;
  /** Connections to GET /sse, and streams (POST /stream) concurrent with them. */
  sse: number;
  streams: number;
  seconds: number;
}

export interface HoldResult {
  /** Until all were open. */
  openingMs: number;
  heartbeats: number;
  /**
   * How much longer than 15 seconds the longest wait of any connection for its next heartbeat was; below 0: none was
   * late.
   */
  maxLateMs: number;
  /** Calls on the streams, and what the slowest of them took. */
  calls: number;
  slowestCallMs: number;
  /** Milliseconds of each wait for the next heartbeat, and of each call. */
  waits: { samples: number[] };
  answers: { samples: number[] };
  /** Connections that ended by themselves, and calls that failed. */
  lost: number;
  held: ServiceState;
}

/** The tool service as its own metrics report it, in MiB and counts. */
export interface ServiceState {
  residentMiB: number;
  heapMiB: number;
  externalMiB: number;
  sse: number;
  streams: number;
}

const HEARTBEAT_MS = 15_000;
/** Each stream makes a call this often. */
const CALL_EVERY_MS = 5_000;
const OPENED_AT_ONCE = 20;

/** Opens all, holds them for the time, and closes them. Resolves when the service has noticed. */
export async function holdConnections(plan: HoldPlan): Promise<HoldResult> {
  const startedAt = performance.now();
  const [listeners, streams] = [
    await openAll(plan.sse, () => Listener.open(plan)),
    await openAll(plan.streams, () => CallingStream.open(plan)),
  ];
  const openingMs = performance.now() - startedAt;
  const calling = streams.map((stream) => stream.callUntil(performance.now() + plan.seconds * 1000));
  await Promise.all([sleep(plan.seconds * 1000), ...calling]);
  const result = {
    openingMs,
    heartbeats: sum(listeners.map(({ heartbeats }) => heartbeats)),
    maxLateMs: Math.max(...listeners.map((listener) => listener.longestWait() - HEARTBEAT_MS)),
    calls: sum(streams.map(({ calls }) => calls)),
    slowestCallMs: Math.max(0, ...streams.map(({ slowestMs }) => slowestMs)),
    waits: { samples: listeners.flatMap(({ waits }) => waits).map(toMicroseconds) },
    answers: { samples: streams.flatMap(({ answers }) => answers).map(toMicroseconds) },
    lost: [...listeners, ...streams].filter(({ isLost }) => isLost).length,
    held: await readState(plan.url),
  };
  for (const one of [...listeners, ...streams]) one.close();
  await untilClosed(plan.url);
  return result;
}

/** @throws Error when the metrics cannot be read */
export async function readState(url: string): Promise<ServiceState> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const read = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
  const mebibytes = (name: string): number => read(name) / 2 ** 20;
  return {
    residentMiB: mebibytes('process_resident_memory_bytes'),
    heapMiB: mebibytes('nodejs_heap_size_used_bytes'),
    externalMiB: mebibytes('nodejs_external_memory_bytes'),
    sse: read('svc_sse_connections'),
    streams: read('svc_streams'),
  };
}

async function openAll<T>(count: number, open: () => Promise<T>): Promise<T[]> {
  const opened: T[] = [];
  while (opened.length < count) {
    const next = Math.min(OPENED_AT_ONCE, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: next }, open))));
  }
  return opened;
}

async function untilClosed(url: string): Promise<void> {
  for (let state = await readState(url); state.sse + state.streams > 0; state = await readState(url)) await sleep(100);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const headersOf = ({ tenantId, apiKey }: HoldPlan) => ({ 'x-tenant-id': tenantId, 'x-api-key': apiKey });

/** What both kinds of connection are: one request whose answer goes on. */
abstract class HeldConnection {
  isLost = false;
  private isClosing = false;

  protected constructor(protected readonly sent: ClientRequest) {
    sent.once('error', () => this.lose());
  }

  /** @throws Error when it was refused */
  protected async begin(): Promise<void> {
    const [response] = (await once(this.sent, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`The tool service answered ${response.statusCode}`);
    response.setEncoding('utf8').on('data', (text: string) => this.receive(text));
    response.once('close', () => this.lose());
  }

  protected abstract receive(text: string): void;

  close(): void {
    this.isClosing = true;
    this.sent.destroy();
  }

  private lose(): void {
    this.isLost ||= !this.isClosing;
  }
}

/** One GET /sse, and when its heartbeats came. */
class Listener extends HeldConnection {
  private lastAt = performance.now();
  private longest = 0;
  heartbeats = 0;
  /** Between two heartbeats. */
  readonly waits: number[] = [];

  static async open(plan: HoldPlan): Promise<Listener> {
    const listener = new Listener(request(`${plan.url}/sse`, { agent: false, headers: headersOf(plan) }).end());
    await listener.begin();
    return listener;
  }

  /** Milliseconds between two heartbeats, or since the last one. */
  longestWait(): number {
    return Math.max(this.longest, performance.now() - this.lastAt);
  }

  protected receive(text: string): void {
    if (!text.includes('event: heartbeat')) return;
    this.longest = this.longestWait();
    const now = performance.now();
    if (this.heartbeats > 0) this.waits.push(now - this.lastAt);
    this.lastAt = now;
    this.heartbeats += 1;
  }
}

/** One POST /stream that calls a tool now and then. */
class CallingStream extends HeldConnection {
  private answered?: () => void;
  calls = 0;
  slowestMs = 0;
  readonly answers: number[] = [];

  static async open(plan: HoldPlan): Promise<CallingStream> {
    const headers = { ...headersOf(plan), 'content-type': 'application/x-ndjson' };
    const sent = request(`${plan.url}/stream`, { method: 'POST', agent: false, headers });
    sent.flushHeaders();
    const stream = new CallingStream(sent);
    await stream.begin();
    return stream;
  }

  async callUntil(deadline: number): Promise<void> {
    // Not all at the same moment.
    await sleep(Math.random() * CALL_EVERY_MS);
    while (performance.now() < deadline && !this.isLost) {
      await this.call();
      await sleep(CALL_EVERY_MS);
    }
  }

  private async call(): Promise<void> {
    const startedAt = performance.now();
    const answered = new Promise<void>((resolve) => (this.answered = resolve));
    this.sent.write('{"jsonrpc":"2.0","id":1,"method":"get_credit_balance","params":{"agent_id":"held"}}\n');
    await answered;
    this.calls += 1;
    const took = performance.now() - startedAt;
    this.answers.push(took);
    this.slowestMs = Math.max(this.slowestMs, took);
  }

  protected receive(text: string): void {
    if (text.includes('"error"')) this.isLost = true;
    if (text.endsWith('\n')) this.answered?.();
  }
}
