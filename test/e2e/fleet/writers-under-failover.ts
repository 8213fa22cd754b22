import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { caller, send, type TestTenant } from '../../kit/app.js';
import { ALL_SCOPES } from '../../kit/daemon.js';
import { ServerProcess } from '../../kit/server-process.js';
import { documentOf } from '../../medium/ingest/given.js';
import { until } from '../processes/svc-process.js';

const WRITERS = 3;
const MEMORY = { 'x-svc-scopes': ALL_SCOPES, 'x-svc-tenant-id': 'acme' };

type Writing = Pick<TestTenant, 'tenantId' | 'call'>;

/** One process of each app, all at the one address of a primary. */
export class Fleet {
  private constructor(
    private readonly apps: readonly ServerProcess[],
    readonly daemon: ServerProcess,
    readonly tenant: Writing,
  ) {}

  /**
   * @param address of the owner; the fleet knows no other, whoever the primary is
   * @param folder for what the processes keep
   */
  static async start(address: string, folder: string): Promise<Fleet> {
    const made = await TenantsStore.using({ ownerUrl: address }, (store) => store.createTenant('acme', 'team'));
    const api = await ServerProcess.at(address, join(folder, 'api'));
    const tools = await ServerProcess.at(address, join(folder, 'tools'), { SVC_API_URL: api.url }, 'tools');
    const daemon = await ServerProcess.at(address, join(folder, 'daemon'), {}, 'daemon');
    const tenant = { tenantId: 'acme', call: caller(api.url, 'acme', made!.key.apiKey) };
    const fleet = new Fleet([api, tools, daemon], daemon, tenant);
    try {
      for (const one of fleet.apps) await one.start(60_000);
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  /** What the processes logged: why one answered what it should not. */
  get output(): string {
    return this.apps.map(({ output }) => output).join('\n');
  }

  async untilReady(): Promise<void> {
    for (const one of this.apps)
      await until('readiness', async () => (await send(one.url, 'GET', '/readyz')).status === 200, 120_000);
  }

  async stop(): Promise<void> {
    for (const one of this.apps) await one.stop('SIGKILL');
  }
}

/** Writes until it is over. What was acknowledged, and how everything else was answered: 0 is not at all. */
class Writer {
  readonly acknowledged: string[] = [];
  readonly others = new Set<number>();
  isOver = false;
  private readonly work: Promise<void>;

  /** @param write answers the status, and what to look for */
  constructor(private readonly write: (n: number) => Promise<{ status: number; id: string }>) {
    this.work = this.run();
  }

  stop(): Promise<void> {
    this.isOver = true;
    return this.work;
  }

  private async run(): Promise<void> {
    for (let n = 0; !this.isOver; n += 1) {
      const { status, id } = await this.write(n).catch(() => ({ status: 0, id: '' }));
      if (status >= 200 && status < 300) this.acknowledged.push(id);
      else {
        this.others.add(status);
        await sleep(50);
      }
    }
  }
}

function documentWriter({ tenant }: Fleet, w: number): Writer {
  return new Writer(async (n) => {
    const { status, body } = await tenant.call('POST', '/v1/ingest', documentOf(tenant, { docId: `w${w}-${n}` }));
    return { status, id: String(body.ingestId) };
  });
}

function factWriter({ daemon }: Fleet, w: number): Writer {
  return new Writer(async (n) => {
    const fact = { entity: `pier:${w}:${n}`, key: 'length', value: '120 m' };
    return { status: (await send(daemon.url, 'PUT', '/v1/facts', fact, MEMORY)).status, id: fact.entity };
  });
}

/**
 * Kills the primary under writers and holds what they saw against what is there: nothing that was acknowledged is lost,
 * nothing but 503 was answered meanwhile, and all apps are ready again.
 *
 * @param kill ends the primary
 * @param untilPromoted until another is it, at the same address
 */
export async function expectNothingLost(
  fleet: Fleet,
  { kill, untilPromoted }: { kill: () => void | Promise<void>; untilPromoted: () => Promise<void> },
): Promise<void> {
  const documents = Array.from({ length: WRITERS }, (_, w) => documentWriter(fleet, w));
  const facts = Array.from({ length: WRITERS }, (_, w) => factWriter(fleet, w));
  const writers = [...documents, ...facts];
  const countOf = (): number[] => writers.map(({ acknowledged }) => acknowledged.length);
  try {
    await until('writes', () => Math.min(...countOf()) > 20, 120_000);
    const killed = performance.now();
    await kill();
    await untilPromoted();
    const promoted = performance.now();
    await fleet.untilReady();
    const took = (since: number): number => Math.round(performance.now() - since);
    process.stdout.write(`promoted ${Math.round(promoted - killed)} ms after the kill\n`);
    process.stdout.write(`all apps ready ${took(promoted)} ms after the promotion, ${took(killed)} after the kill\n`);
    const before = countOf();
    await until('writes to the new primary', () => countOf().every((count, i) => count > before[i]! + 5), 120_000);
    process.stdout.write(`every writer goes on ${took(killed)} ms after the kill\n`);
  } finally {
    for (const writer of writers) await writer.stop();
  }
  const unexpected = writers.flatMap(({ others }) => [...others]).filter((status) => status !== 503);
  expect(unexpected, fleet.output).toEqual([]);
  await expectAllThere(fleet, documents, facts);
  process.stdout.write(`${countOf().reduce((sum, count) => sum + count)} acknowledged, none lost\n`);
}

async function expectAllThere({ tenant, daemon }: Fleet, documents: Writer[], facts: Writer[]): Promise<void> {
  for (const id of documents.flatMap(({ acknowledged }) => acknowledged))
    expect([id, (await tenant.call('GET', `/v1/ingest/${id}`)).status]).toEqual([id, 200]);
  for (const id of facts.flatMap(({ acknowledged }) => acknowledged))
    expect((await send(daemon.url, 'GET', `/v1/facts?entity=${id}`, undefined, MEMORY)).text).toContain('120 m');
}
