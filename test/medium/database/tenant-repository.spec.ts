import { pino } from 'pino';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTITIES } from '../../../src/apps/entities.js';
import { makeDataSource } from '../../../src/common/database/connections.js';
import { SnakeCaseNaming } from '../../../src/common/database/snake-case-naming.js';
import { loginUrl } from '../../../src/common/database/connection.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { TenantRepository } from '../../../src/common/tenancy/tenant-repository.js';
import { WriteLimit } from '../../../src/common/tenancy/write-limit.js';
import { BundleRow } from '../../../src/modules/economy/bundles/bundle.entity.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';

describe('a repository of a tenant', () => {
  let database: TestDatabase;
  let tenancy: Tenancy;
  let bundles: TenantRepository<BundleRow>;
  let close: () => Promise<void>;

  beforeAll(async () => {
    database = await freshDatabase();
    const source = await makeDataSource({
      ...{ type: 'postgres', url: loginUrl(database.url, 'svc_app'), entities: ENTITIES, installExtensions: false },
      namingStrategy: new SnakeCaseNaming(),
    }).initialize();
    close = () => source.destroy();
    tenancy = new Tenancy(source, true, new WriteLimit(4, 5_000), pino({ level: 'silent' }));
    bundles = new TenantRepository(tenancy, BundleRow);
    for (const tenant of ['acme', 'rival'])
      await database.query(`insert into tenant (tenant_id, tier) values ($1, 'team') on conflict do nothing`, [tenant]);
  });
  afterAll(async () => {
    await close();
    await database.drop();
  });

  it('is of the tenant as it is named, whatever is in the name', async () => {
    const named = `o'neil\\'; select 1; --`;
    const [row] = await tenancy.run(named, () =>
      tenancy.query<{ tenant: string }>(`select current_setting('svc.tenant_id') as tenant`),
    );
    expect(row).toEqual({ tenant: named });
  });

  const content = { description: '', corpora: ['notes'], priceCredits: 5, publishedBy: 'key:1', changedBy: 'key:1' };
  const insert = (tenant: string, title: string) =>
    tenancy.run(tenant, () => bundles.insert({ bundleId: uuid(), title, ...content }));
  const inAcme = <T>(work: () => Promise<T>) => tenancy.run('acme', work);

  it('is committed, or fails as it failed, whatever becomes of what follows', async () => {
    const followed: string[] = [];
    const follow = (name: string) => () => {
      followed.push(name);
      throw new Error(`${name} failed`);
    };
    const failLater = (name: string) => () => Promise.reject(new Error(`${name} failed`));
    const committed = inAcme(async () => {
      for (const name of ['first', 'second']) tenancy.afterCommit(follow(name));
      return 'committed';
    });
    expect([await committed, followed]).toEqual(['committed', ['first', 'second']]);
    const failed = inAcme(async () => {
      for (const name of ['third', 'fourth']) tenancy.afterRollback(failLater(name));
      tenancy.afterRollback(async () => void followed.push('fifth'));
      throw new Error('the work failed');
    });
    await expect(failed).rejects.toThrow('the work failed');
    expect(followed).toEqual(['first', 'second', 'fifth']);
  });

  it('reads and changes no row that another tenant shares with it', async () => {
    const { bundleId } = await insert('rival', 'shared');
    await inAcme(async () => {
      expect(await tenancy.query('select 1 from bundle where bundle_id = $1', [bundleId])).toHaveLength(1);
      expect(await bundles.find({ bundleId })).toBeUndefined();
      expect(await bundles.list({})).toEqual([]);
      expect(await bundles.count({ bundleId })).toBe(0);
      expect(await bundles.update({ bundleId }, { title: 'taken' })).toEqual([]);
    });
    expect((await tenancy.run('rival', () => bundles.find({ bundleId })))?.title).toBe('shared');
  });

  it('answers what was written, with what the database added', async () => {
    const row = await insert('acme', 'first');
    expect(row).toMatchObject({ tenantId: 'acme', title: 'first', status: 'published', withdrawnReason: null });
    expect(row.publishedAt).toBeInstanceOf(Date);
    expect(row.priceCredits).toBe(5);
    expect(await inAcme(() => bundles.find({ bundleId: row.bundleId }))).toEqual(row);
  });

  it('pages in both directions, times by their microseconds', async () => {
    for (const title of ['second', 'third']) await insert('acme', title);
    const titlesAfter = (direction: 'asc' | 'desc', row: BundleRow | undefined) =>
      inAcme(() =>
        bundles.list(
          {},
          {
            order: { publishedAt: direction, bundleId: direction },
            after: row && [row.publishedUs, row.bundleId],
            take: 2,
          },
        ),
      );
    for (const direction of ['asc', 'desc'] as const) {
      const first = await titlesAfter(direction, undefined);
      const all = [...first, ...(await titlesAfter(direction, first.at(-1)))].map(({ title }) => title);
      expect(all).toEqual(direction === 'asc' ? ['first', 'second', 'third'] : ['third', 'second', 'first']);
    }
  });

  it.each<[string, () => unknown, string]>([
    [
      'a page in two directions',
      () => bundles.list({}, { order: { title: 'asc', bundleId: 'desc' }, after: ['a', 'b'] }),
      'paged',
    ],
    ['a position of another length', () => bundles.list({}, { order: { title: 'asc' }, after: ['a', 'b'] }), 'paged'],
    ['a position without an order', () => bundles.list({}, { after: ['a'] }), 'paged'],
    [
      'a member that is undefined',
      () => bundles.update({ bundleId: undefined }, { title: 'x' }),
      'bundle.bundleId is undefined',
    ],
    ['a deletion of everything', () => bundles.delete({}), 'which rows of bundle'],
  ])('refuses %s', async (_what, work, message) => {
    await expect(inAcme(async () => work())).rejects.toThrow(message);
  });

  it('reads nothing outside a unit of work', async () => {
    await expect((async () => bundles.list({}))()).rejects.toThrow('No unit of work');
  });
});
