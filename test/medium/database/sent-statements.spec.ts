import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../../src/common/config/settings.js';
import { makeDataSource } from '../../../src/common/database/connections.js';
import { roleDataSource } from '../../../src/common/database/role-data-source.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { WriteLimit } from '../../../src/common/tenancy/write-limit.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';

const INSERT = 'insert into corpus (tenant_id, corpus_id, language) values ($1, $2, $3)';

describe('statements of a unit of work that nobody waits for', () => {
  let database: TestDatabase;
  let tenancy: Tenancy;
  let close: () => Promise<void>;

  beforeAll(async () => {
    database = await freshDatabase();
    const settings = loadSettings({ NODE_ENV: 'test' });
    const source = await makeDataSource(
      roleDataSource({ ownerUrl: database.url }, 'svc_app', { settings }),
    ).initialize();
    close = () => source.destroy();
    tenancy = new Tenancy(source, true, new WriteLimit(4, 5_000), pino({ level: 'silent' }));
    await database.query(`insert into tenant (tenant_id, tier) values ('acme', 'team')`);
  });
  afterAll(async () => {
    await close();
    await database.drop();
  });

  const add = (corpus: string) => tenancy.send(INSERT, ['acme', corpus, 'english']);
  const corpora = async (like: string) =>
    tenancy.run('acme', async () => {
      const rows = await tenancy.query<{ corpus_id: string }>(
        'select corpus_id from corpus where corpus_id like $1 order by corpus_id',
        [like],
      );
      return rows.map(({ corpus_id }) => corpus_id);
    });

  it('are done in their order, and seen by those after them', async () => {
    const seen = await tenancy.run('acme', async () => {
      add('kept-1');
      add('kept-2');
      tenancy.send('delete from corpus where corpus_id = $1', ['kept-2']);
      add('kept-3');
      return tenancy.query('select corpus_id from corpus order by corpus_id');
    });
    expect(seen).toEqual([{ corpus_id: 'kept-1' }, { corpus_id: 'kept-3' }]);
    expect(await corpora('kept-%')).toEqual(['kept-1', 'kept-3']);
  });

  it('roll the unit back where one fails, with its error', async () => {
    const unit = tenancy.run('acme', async () => {
      add('lost-1');
      add('lost-1');
      add('lost-2');
      return 'done';
    });
    await expect(unit).rejects.toMatchObject({ driverError: { code: '23505' } });
    expect(await corpora('lost-%')).toEqual([]);
  });

  it('fail with their error where a statement after them is rejected because of it', async () => {
    const unit = tenancy.run('acme', async () => {
      add('gone-1');
      add('gone-1');
      return tenancy.query('select 1');
    });
    await expect(unit).rejects.toMatchObject({ driverError: { code: '23505' } });
    expect(await corpora('gone-%')).toEqual([]);
  });

  it('leave no transaction behind, and follow what else a unit of work failed with', async () => {
    const unit = tenancy.run('acme', async () => {
      add('left-1');
      throw new Error('the work failed');
    });
    await expect(unit).rejects.toThrow('the work failed');
    expect(await corpora('left-%')).toEqual([]);
  });
});
