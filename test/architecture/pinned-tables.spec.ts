import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { UNSECURED_TABLES } from '../../src/common/database/unsecured-tables.js';
import { describeUnpinned, findUnpinned, WITHOUT_CONTENT } from '../../src/common/legal-holds/pinned-tables.js';
import type { Query } from '../../src/common/tenancy/cross-tenant.js';
import { freshDatabase, type TestDatabase } from '../kit/database.js';

let database: TestDatabase;
let owner: Client;
const ask: Query = async <Row>(sql: string, parameters: unknown[] = []) =>
  (await owner.query(sql, parameters)).rows as Row[];
beforeAll(async () => {
  database = await freshDatabase();
  owner = new Client({ connectionString: database.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});
beforeEach(() => owner.query('begin'));
afterEach(() => owner.query('rollback'));

const TRIGGERS = ['legal_hold', 'legal_hold_rows', 'legal_hold_truncate', 'legal_hold_update'];

describe('every table with tenant content', () => {
  it('is under the legal holds, or named with a reason why it has none', async () => {
    expect(await findUnpinned(ask)).toEqual([]);
    expect(await ask(UNSECURED_TABLES)).toEqual([]);
  });

  it('is not named as one without content as well, and each that is named is there', async () => {
    const pinned = await ask<{ name: string }>(
      `select c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = 'legal_hold'`,
    );
    const named = Object.keys(WITHOUT_CONTENT);
    expect(pinned.map(({ name }) => name).filter((name) => named.includes(name))).toEqual([]);
    const there = await ask<{ name: string }>(
      'select c.relname as name from pg_class c where c.relname = any($1) and c.relnamespace = $2::regnamespace',
      [named, 'public'],
    );
    expect(there.map(({ name }) => name).sort()).toEqual([...named].sort());
    expect(Object.values(WITHOUT_CONTENT).filter((reason) => reason.length < 20)).toEqual([]);
  });

  it('is found when it is added without the triggers', async () => {
    await owner.query(`
      create table planted (tenant_id text not null, id uuid not null, entity text not null, body text, primary key (tenant_id, id));
      select svc_secure_table('planted')`);
    expect(await findUnpinned(ask)).toEqual(TRIGGERS.map((trigger) => ({ table: 'planted', trigger })));
    await owner.query(`select svc_pin_table('planted', 'array[r.entity]', '{body}')`);
    expect(await findUnpinned(ask)).toEqual([]);
  });

  it('is the concern of the newer svc where it is of the schema of a newer one', async () => {
    await owner.query(`
      create table planted (tenant_id text not null, id uuid not null, primary key (tenant_id, id));
      insert into migration (timestamp, name) values (9999999999999, 'OfANewerSvc9999999999999')`);
    expect(await describeUnpinned(ask)).toBeUndefined();
    await owner.query('alter table fact disable trigger legal_hold');
    expect(await describeUnpinned(ask)).toMatch(/: legal_hold on fact\. /);
  });

  it.each([
    ['disable', 'alter table fact disable trigger legal_hold'],
    ['enable for the origin alone', 'alter table fact enable trigger legal_hold'],
    ['drop', 'drop trigger legal_hold on fact'],
    ['replace', 'create or replace trigger legal_hold before delete on fact execute function svc_keep_held_table()'],
  ])('is found when somebody went about to %s its trigger', async (_, statement) => {
    await owner.query(statement);
    expect(await findUnpinned(ask)).toEqual([{ table: 'fact', trigger: 'legal_hold' }]);
    expect(await describeUnpinned(ask)).toContain('legal_hold on fact');
  });

  it('is found when its trigger never asks, or the look after statements is off', async () => {
    await owner.query(`drop trigger legal_hold on fact;
      create trigger legal_hold before delete on fact for each row when (false) execute function svc_keep_held('array[r.entity]');
      alter table fact enable always trigger legal_hold; alter table document disable trigger legal_hold_rows`);
    expect(await findUnpinned(ask)).toEqual([
      { table: 'document', trigger: 'legal_hold_rows' },
      { table: 'fact', trigger: 'legal_hold' },
    ]);
  });

  it('is found when the triggers of the holds themselves are off', async () => {
    await owner.query('alter table legal_hold disable trigger all');
    expect(await findUnpinned(ask)).toEqual(['keep', 'keep_all'].map((trigger) => ({ table: 'legal_hold', trigger })));
  });
});
