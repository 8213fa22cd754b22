import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SyncPagesService } from '../../../src/modules/memory/sync/sync-pages.service.js';
import { SyncPromotionsService } from '../../../src/modules/memory/sync/sync-promotions.service.js';
import { COLLECTIONS, FULL_REACH, type SyncReach } from '../../../src/modules/memory/sync/sync.types.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { seeded } from '../../kit/seeded.js';
import { Replica } from './given.js';

/** Histories: SVC_TEST_SYNC_SEEDS=1000 for more, SVC_TEST_SYNC_FIRST=688 for others. */
const { SVC_TEST_SYNC_SEEDS: COUNT = '6', SVC_TEST_SYNC_FIRST: FIRST = '1' } = process.env;
const SEEDS = Array.from({ length: Number(COUNT) }, (_, n) => n + Number(FIRST));
const NAMES = ['x', 'y', 'z'];
let daemons: TestDaemon[];
beforeAll(async () => {
  const tenants = SEEDS.map((seed) => `t${seed}`);
  daemons = [];
  for (const _ of NAMES) daemons.push(await startDaemon({ env: { SVCD_FEATURE_LEGAL_HOLD: '1' }, tenants }));
});
afterAll(async () => {
  for (const daemon of daemons) await daemon.close();
});

const BY = { principal: 'peer:x', authType: 'test' };
const ENTITIES = ['open:a', 'open:b', 'secret:a'];
const OPEN: SyncReach = { ...FULL_REACH, peerId: 'x', prefixes: ['open:'] };

/** What one brings another, page after page, as the exchange does. */
async function pull(to: Replica, from: Replica, reach: SyncReach): Promise<void> {
  const pages = from.daemon.app.get(SyncPagesService, { strict: false });
  const promotions = to.daemon.app.get(SyncPromotionsService, { strict: false });
  for (const collection of COLLECTIONS) {
    let cursor: string | null | undefined;
    do {
      const query = { limit: 3, include_content: true, ...(cursor ? { cursor } : {}) };
      const page = await pages.page(from.tenant, reach, collection, query);
      const items = JSON.parse(JSON.stringify(page.items)) as unknown[];
      if (items.length > 0) await promotions.apply(BY, to.tenant, reach, items);
      cursor = page.next_cursor;
    } while (cursor);
  }
}

class History {
  readonly holds: string[] = [];
  private readonly random: (below: number) => number;

  constructor(
    seed: number,
    private readonly replicas: readonly Replica[],
  ) {
    this.random = seeded(seed);
  }

  async step(): Promise<void> {
    const replica = this.replicas[this.random(3)]!;
    const entity = ENTITIES[this.random(ENTITIES.length)]!;
    const what = this.random(12);
    if (what < 3) await replica.fact(entity, 'k', `${this.random(3)}`);
    else if (what < 5) await this.forget(replica, entity);
    else if (what < 7) await this.node(replica, entity);
    else if (what === 7) await this.place(replica, entity);
    else if (what === 8) await this.release(replica);
    else await this.meet(replica);
  }

  private async forget(replica: Replica, entity: string): Promise<void> {
    const { body } = await replica.call('GET', `/v1/facts?entity=${entity}`);
    const [fact] = (body as { facts: { fact_id: string }[] }).facts;
    // A legal hold may refuse it.
    if (fact) expect([200, 409]).toContain((await replica.call('DELETE', `/v1/facts/${fact.fact_id}`)).status);
  }

  private async node(replica: Replica, entity: string): Promise<void> {
    const [kind, id] = entity.split(':');
    const path = `/v1/entities/${kind}/${id}`;
    const { status } =
      this.random(3) > 0
        ? await replica.call('PUT', path, { payload: this.random(3) })
        : await replica.call('DELETE', path);
    expect([200, 404, 409]).toContain(status);
  }

  private async place(replica: Replica, entity: string): Promise<void> {
    const body = { tenant_id: replica.tenant, reason: 'M', entity_prefixes: [entity] };
    this.holds.push((await replica.ok<{ hold: { id: string } }>('POST', '/v1/legal-holds', body)).hold.id);
  }

  private async release(replica: Replica): Promise<void> {
    const { holds } = await replica.ok<{ holds: { id: string }[] }>(
      'GET',
      `/v1/legal-holds?tenant_id=${replica.tenant}&status=active`,
    );
    if (holds[0]) await replica.ok('DELETE', `/v1/legal-holds/${holds[0].id}`);
  }

  /** The third is cut off mostly, and never sees more than a part. */
  private async meet(replica: Replica): Promise<void> {
    const other = this.replicas[this.random(3)]!;
    if (other === replica) return;
    const isThird = [replica, other].includes(this.replicas[2]!);
    if (!isThird) await pull(replica, other, FULL_REACH);
    else if (this.random(4) === 0) await pull(replica, other, OPEN);
  }
}

const digestsOf = async (replica: Replica, reach: SyncReach): Promise<string[]> => {
  const pages = replica.daemon.app.get(SyncPagesService, { strict: false });
  const all: string[] = [];
  for (const collection of COLLECTIONS) {
    const { items } = await pages.page(replica.tenant, reach, collection, { limit: 5000, include_content: false });
    all.push(...items.map(({ digest }) => digest));
  }
  return all;
};

describe('three servers that write while they are apart', () => {
  it.concurrent.each(SEEDS)('are equal once they have met: history %i', async (seed) => {
    const replicas = daemons.map((daemon) => new Replica(daemon, `t${seed}`));
    const [x, y, z] = replicas as [Replica, Replica, Replica];
    const history = new History(seed, replicas);
    for (let step = 0; step < 40; step += 1) await history.step();
    for (const item of await z.everything())
      if (item.id.includes('secret:a')) expect(Object.keys(item.vector)).toEqual([(await z.manifest()).origin]);
    for (let round = 0; round < 2; round += 1)
      for (const [to, from] of [
        [x, y],
        [y, x],
        [z, x],
        [x, z],
        [y, z],
        [z, y],
        [x, y],
        [y, x],
      ] as const)
        await pull(to, from, to === z || from === z ? OPEN : FULL_REACH);
    expect(await y.roots()).toEqual(await x.roots());
    expect(await digestsOf(z, OPEN)).toEqual(await digestsOf(x, OPEN));
    for (const hold of history.holds) {
      const places = await Promise.all([x, y].map((one) => one.call('GET', `/v1/legal-holds/${hold}`)));
      const isOpen = places.map(({ status }) => status);
      expect(isOpen, 'a hold of the third that it cannot show is on none of the others').toEqual([
        isOpen[0],
        isOpen[0],
      ]);
    }
    for (const one of replicas) await expectShown(one);
    for (const one of replicas) await expectReceipts(one);
  });
});

/** Whoever has what another wrote has a receipt of taking it. */
async function expectReceipts(replica: Replica): Promise<void> {
  const { origin } = await replica.manifest();
  const items = await replica.everything();
  const isForeign = items.some(({ vector }) => Object.keys(vector).some((writer) => writer !== origin));
  const receipts = await replica.daemon.database.query(
    `select from receipt where tenant_id = $1 and kind = 'sync.applied'`,
    [replica.tenant],
  );
  expect(receipts.length > 0).toBe(isForeign);
}

/** What reads show is what the versions say, unless a hold keeps it. */
async function expectShown(replica: Replica): Promise<void> {
  await replica.manifest();
  const rows = await replica.daemon.database.query<{ parts: string[]; deleted: boolean; is_held: boolean }>(
    `select parts, bool_or(deleted) as deleted, bool_or(state = 'held') as is_held from sync_record
     where tenant_id = $1 and target = 'facts' group by parts`,
    [replica.tenant],
  );
  for (const { parts, deleted, is_held } of rows)
    if (!is_held)
      expect([parts, (await replica.valueOf(parts[0]!, parts[1]!)) === undefined]).toEqual([parts, deleted]);
}
