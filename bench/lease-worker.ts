import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerPlan } from './child.js';
import { monotonicMicroseconds } from './cpu-profile.js';
import type { LeaseRecord, LeaseWorkerMessage, LeaseWorkerPlan } from './lease-history.types.js';
import { pick, seededRandom, type Random } from './random.js';

const SCOPES = 'facts:write admin:read admin:write';
/** While nothing listens, or the server is not ready. */
const AGAIN_MS = 100;
/** The items that everybody wants. */
const WANTED = 32;
const PROGRESS_EVERY = 20;

/** Workers that claim, renew, write to and release work items, now and then with a fence that is old. */
answerPlan<LeaseWorkerPlan, LeaseRecord[]>(async (plan) => {
  const agent = new Agent({ keepAlive: true, maxSockets: plan.workers.length * 2, scheduling: 'fifo' });
  try {
    const workers = plan.workers.map((number) => new LeaseWorker(plan, number, agent));
    return (await Promise.all(workers.map((worker) => worker.work()))).flat();
  } finally {
    agent.destroy();
  }
});

interface Held {
  item: string;
  fence: number;
  holder: string;
}

interface Sent {
  method: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

const say = (message: LeaseWorkerMessage): void => void process.send?.(message);

class LeaseWorker {
  private readonly records: LeaseRecord[] = [];
  private readonly random: Random;
  /** What it holds as far as it knows. */
  private held: Held | undefined;
  /** What it held before: those fences are old, or soon will be. */
  private readonly former: Held[] = [];
  private claims = 0;
  /** Calls with an answer other than 503. */
  private done = 0;
  private isAfterStop = false;

  constructor(
    private readonly plan: LeaseWorkerPlan,
    private readonly number: number,
    private readonly agent: Agent,
  ) {
    this.random = seededRandom(number + 1);
  }

  async work(): Promise<LeaseRecord[]> {
    const stops = [...(this.plan.stopAfter ?? [])];
    while (this.done < this.plan.operationsEach) {
      if (this.held && stops.length > 0 && this.done >= stops[0]!) await this.beStopped(stops.shift()!);
      else await this.doOne();
    }
    return this.records;
  }

  /** Half the time with a request under way. Whatever it does next comes too late. */
  private async beStopped(number: number): Promise<void> {
    const held = this.held!;
    const underWay = number % 2 === 1 ? this.write(held) : undefined;
    const goOn = once(process, 'message');
    say({ isHolding: true });
    await goOn;
    await underWay;
    this.isAfterStop = true;
    for (const tooLate of [this.write, this.renew, this.release]) while (!isAnswered(await tooLate.call(this, held)));
    this.isAfterStop = false;
  }

  private async doOne(): Promise<unknown> {
    const chance = this.random();
    if (chance < 0.06 && this.former.length > 0) return this.comeLate(pick(this.random, this.former));
    if (chance < 0.1) return this.read(pick(this.random, this.plan.items));
    const { held } = this;
    if (!held) return this.random() < 0.65 ? this.claimNext() : this.claim(this.chooseItem());
    const what = this.random();
    if (what < 0.4) return this.renew(held);
    if (what < 0.6) return this.write(held);
    if (what < 0.65) return this.read(held.item);
    if (what < 0.95) return this.release(held);
    // Forgotten: it is free for others when its time is over.
    return this.drop(held);
  }

  private comeLate(former: Held): Promise<unknown> {
    return pick(this.random, [this.write, this.renew, this.release]).call(this, former);
  }

  private chooseItem(): string {
    const { items } = this.plan;
    return this.random() < 0.6
      ? items[Math.floor(this.random() * Math.min(WANTED, items.length))]!
      : pick(this.random, items);
  }

  private async claimNext(): Promise<void> {
    const labels = this.random() < 0.7 ? { labels: [pick(this.random, this.plan.labels)] } : {};
    await this.take('claim-next', '/v1/work/claim-next', labels);
  }

  private async claim(item: string): Promise<void> {
    await this.take('claim', `/v1/work/${item}/claim`, {}, item);
  }

  private async take(kind: 'claim-next' | 'claim', path: string, body: object, item?: string): Promise<void> {
    this.claims += 1;
    const holder = `w${this.number}.${this.claims}`;
    const sent = { ...body, by_passport: holder, ttl_secs: this.plan.ttlSeconds };
    const record = await this.send({ kind, item, holder }, { method: 'POST', path, body: sent });
    if (record?.lease && record.item) this.held = { item: record.item, fence: record.lease.fence, holder };
  }

  private async renew(held: Held): Promise<LeaseRecord | undefined> {
    const body = { by_passport: held.holder, fence: held.fence, ttl_secs: this.plan.ttlSeconds };
    const record = await this.send(
      { kind: 'renew', ...held },
      { method: 'POST', path: `/v1/work/${held.item}/renew`, body },
    );
    if (record?.status === 409) this.drop(held);
    return record;
  }

  private async release(held: Held): Promise<LeaseRecord | undefined> {
    const body = { by_passport: held.holder, fence: held.fence };
    const record = await this.send(
      { kind: 'release', ...held },
      { method: 'POST', path: `/v1/work/${held.item}/release`, body },
    );
    if (record) this.drop(held);
    return record;
  }

  private async write(held: Held): Promise<LeaseRecord | undefined> {
    const body = { by_passport: held.holder, title: `as ${held.holder} left it, ${this.records.length}` };
    const headers = { 'x-svc-fence': String(held.fence) };
    const record = await this.send(
      { kind: 'write', ...held },
      { method: 'PATCH', path: `/v1/work/${held.item}`, body, headers },
    );
    if (record?.status === 409) this.drop(held);
    return record;
  }

  private async read(item: string): Promise<void> {
    await this.send({ kind: 'read', item, holder: '' }, { method: 'GET', path: `/v1/work/${item}` });
  }

  private drop(held: Held): void {
    if (this.held === held) this.held = undefined;
    if (!this.former.includes(held)) this.former.push(held);
    if (this.former.length > 8) this.former.shift();
  }

  /** @returns undefined when nothing listened, so that nothing was asked */
  private async send(
    of: Pick<LeaseRecord, 'kind' | 'item' | 'holder' | 'fence'>,
    sent: Sent,
  ): Promise<LeaseRecord | undefined> {
    const start = monotonicMicroseconds();
    const answer = await exchange(this.plan, this.agent, sent);
    if (answer.isUnsent) {
      await sleep(AGAIN_MS);
      return undefined;
    }
    const { kind, item, holder, fence } = of;
    const record: LeaseRecord = {
      ...{ kind, item, holder, fence, start, end: monotonicMicroseconds(), status: answer.status },
      ttlSeconds: this.plan.ttlSeconds,
      ...(this.isAfterStop && { isAfterStop: true }),
      ...understand(of.kind, answer),
    };
    this.records.push(record);
    if (!isAnswered(record)) await sleep(AGAIN_MS);
    else if (++this.done % PROGRESS_EVERY === 0) say({ progress: PROGRESS_EVERY });
    return record;
  }
}

/** What has an answer that says what happened. */
const isAnswered = (record: LeaseRecord | undefined): boolean =>
  record !== undefined && ![0, 503].includes(record.status);

interface Answer {
  status: number;
  text: string;
  isUnsent?: true;
}

function exchange(
  { url, tenantId }: LeaseWorkerPlan,
  agent: Agent,
  { method, path, body, headers }: Sent,
): Promise<Answer> {
  return new Promise((resolve) => {
    const sent = request(url + path, {
      method,
      agent,
      timeout: 60_000,
      headers: {
        'x-svc-scopes': SCOPES,
        'x-svc-tenant-id': tenantId,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => resolve({ status: response.statusCode!, text }));
      response.once('error', () => resolve({ status: 0, text: '' }));
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve({ status: 0, text: '', ...(code === 'ECONNREFUSED' && { isUnsent: true }) }),
    );
    sent.end(body && JSON.stringify(body));
  });
}

interface WorkForm {
  work_id: string;
  version: number;
  lease?: LeaseForm | null;
}

interface LeaseForm {
  fence: number;
  expires_at: string;
}

interface Body {
  work?: WorkForm | null;
  lease?: LeaseForm | null;
  newer?: { fence: number } | null;
  detail?: string;
}

function understand(kind: LeaseRecord['kind'], { status, text }: Answer): Partial<LeaseRecord> {
  if (status === 0) return {};
  if (status === 503) return { text: (JSON.parse(text) as Body).detail };
  if (status === 409) return { newerFence: (JSON.parse(text) as Body).newer?.fence };
  if (status !== 200) return { text: text.slice(0, 500) };
  const body = JSON.parse(text) as Body & WorkForm;
  const work = kind === 'read' ? body : body.work;
  const { lease } = body;
  return {
    ...(kind.startsWith('claim') && work && { item: work.work_id }),
    ...(lease && { lease: { fence: lease.fence, expiresAtMs: Date.parse(lease.expires_at) } }),
    ...(work && { version: work.version }),
  };
}
