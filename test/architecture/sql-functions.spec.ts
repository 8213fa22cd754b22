import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/common/database/run-migrations.js';
import { MIGRATIONS } from '../../src/migrations/index.js';
import { readFunctions } from '../../src/migrations/sql-functions.js';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../kit/database.js';
import { FUNCTIONS } from '../kit/schema.js';

const files = readFunctions();
let database: TestDatabase;
let owner: Client;
beforeAll(async () => {
  database = await freshDatabase();
  owner = new Client(database.url);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

/** The definitions of all SQL functions, in the order of their names. */
async function readDefinitions(): Promise<string[]> {
  return (await owner.query<{ line: string }>(FUNCTIONS)).rows.map(({ line }) => line);
}

/** Name, types, and who may call it: what a migration decides. */
async function readRights(client = owner): Promise<object[]> {
  const { rows } = await client.query<object>(`
    select p.oid::regprocedure::text as function, p.proowner::regrole::text as owner, p.proacl::text as rights
    from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname like 'svc\\_%' order by 1`);
  return rows;
}

interface Recorded {
  name: string;
  digest: Buffer;
  applied_at: Date;
}
const readRecord = async (): Promise<Recorded[]> =>
  (await owner.query<Recorded>('select * from sql_function order by name collate "C"')).rows;

/** What a run of `migrate` says that it applied. */
async function migrateAgain(): Promise<string[]> {
  const said: string[] = [];
  await migrate({ ownerUrl: database.url }, (line) => said.push(line));
  return said;
}

describe('the files of the SQL functions', () => {
  it('hold one statement each, of the function that they are named after', () => {
    expect(files.length).toBeGreaterThan(80);
    const statement = (name: string) =>
      new RegExp(`^(-- .*\\n)*create or replace function ${name}\\([^;]*as (\\$\\w*\\$)`);
    const odd = files.filter(({ name, sql }) => {
      const [head, , quote] = statement(name).exec(sql) ?? [];
      const end = head === undefined ? '' : sql.slice(head.length).split(quote!).slice(1).join(quote);
      return end !== ';\n';
    });
    expect(odd.map(({ name }) => name)).toEqual([]);
  });

  it('are those of a migrated database, one for each', async () => {
    const { rows } = await owner.query<{ name: string }>(`select name from (${FUNCTIONS}) f order by name collate "C"`);
    expect(rows.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
  });

  it('say what a migrated database has: to apply them changes nothing', async () => {
    const before = await readDefinitions();
    for (const { sql } of files) await owner.query(sql);
    expect(await readDefinitions()).toEqual(before);
  });

  it('define what a migration made, and leave it the rights that it gave', async () => {
    const plain = await emptyDatabase();
    const options = { type: 'postgres', url: plain.url, migrations: MIGRATIONS } as const;
    const source = await new DataSource(options).initialize();
    const client = new Client(plain.url);
    try {
      await source.runMigrations({ transaction: 'each' });
      await client.connect();
      const made = await readRights(client);
      expect(made).toContainEqual(expect.objectContaining({ rights: expect.stringContaining('svc_app=X') }));
      expect(await readRights()).toEqual(made);
    } finally {
      await client.end();
      await source.destroy();
      await plain.drop();
    }
  });
});

describe('functions that run as the owner', () => {
  it('are called by the roles that they are granted to, and by nobody else', async () => {
    const { rows } = await owner.query(`
      select p.oid::regprocedure::text as function from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prosecdef and p.prorettype <> 'trigger'::regtype
        and exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)`);
    expect(rows).toEqual([]);
  });
});

describe('a migration step', () => {
  it('has recorded the digest of every file, and without a change applies none', async () => {
    const record = await readRecord();
    expect(record.map(({ name, digest }) => ({ name, digest }))).toEqual(
      files.map(({ name, digest }) => ({ name, digest })),
    );
    expect(await migrateAgain()).toEqual([]);
    expect(await readRecord()).toEqual(record);
  });

  it('applies a file again whose digest is another than the recorded one, and leaves the rest as it is', async () => {
    const [before, definitions] = [await readRecord(), await readDefinitions()];
    await owner.query(OTHER_TEXT);
    expect(await migrateAgain()).toEqual([]);
    expect(await readDefinitions()).toContainEqual(expect.stringContaining('1970-01-01'));
    await forget(NAME);
    expect(await migrateAgain()).toEqual([`Applied 1 changed SQL function(s): ${NAME}`]);
    expect(await readDefinitions()).toEqual(definitions);
    const after = await readRecord();
    const changed = after.filter(({ applied_at }, i) => applied_at.getTime() !== before[i]!.applied_at.getTime());
    expect(changed.map(({ name }) => name)).toEqual([NAME]);
    expect(changed).toEqual([expect.objectContaining({ digest: before.find(({ name }) => name === NAME)!.digest })]);
  });

  it('applies every file after a migration, which may have altered a function', async () => {
    const definitions = await readDefinitions();
    await owner.query(OTHER_TEXT);
    const { rowCount } = await owner.query(`delete from migration where name like 'ReadFactIndexAtOneSnapshot%'`);
    expect([rowCount, await migrateAgain()]).toEqual([1, []]); // it can run twice
    expect(await readDefinitions()).toEqual(definitions);
  });

  it('does not name what it applies where nothing was recorded, nor keep a record of what has no file', async () => {
    await owner.query('delete from sql_function');
    await owner.query(OTHER_TEXT);
    expect(await migrateAgain()).toEqual([]);
    expect(await readDefinitions()).not.toContainEqual(expect.stringContaining('1970-01-01'));
    await owner.query(`insert into sql_function (name, digest) values ('svc_removed', sha256('removed'))`);
    expect(await migrateAgain()).toEqual([]);
    expect((await readRecord()).map(({ name }) => name)).toEqual(files.map(({ name }) => name));
  });

  it('of an svc that is older than the schema applies nothing, whether it is taken or not', async () => {
    await owner.query(`insert into migration (timestamp, name) values (1899000000000, 'AddFuture1899000000000')`);
    await forget(NAME);
    const before = await readRecord();
    expect(await migrateAgain()).toEqual([expect.stringContaining('AddFuture1899000000000; the schema takes this')]);
    expect(await readRecord()).toEqual(before);
    await owner.query('update schema_compatibility set oldest_program = 1899000000000');
    await expect(migrateAgain()).rejects.toThrow('AddFuture1899000000000; the schema takes programs from');
    expect(await readRecord()).toEqual(before);
    await owner.query(`delete from migration where name = 'AddFuture1899000000000'`);
    expect(await migrateAgain()).toEqual([`Applied 1 changed SQL function(s): ${NAME}`]);
  });
});

const NAME = 'svc_utc_month';
const OTHER_TEXT = `create or replace function ${NAME}() returns date language sql as $$ select date '1970-01-01' $$`;

/** As if another text had been applied. */
const forget = (name: string) =>
  owner.query(`update sql_function set digest = sha256('other') where name = $1`, [name]);
