import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/migrations/index.js';
import { freshDatabase, type TestDatabase } from '../kit/database.js';
import { readSchema } from '../kit/schema.js';

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

it('the schema is made by migrations in the order of their numbers, so that every database runs them in one order', () => {
  const numbers = MIGRATIONS.map((migration) => Number(/\d{13}$/.exec(new migration().name)![0]));
  expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right));
});

/** What a program that runs may still use (docs/upgrade.md, "Expand and contract"). */
const TAKES_AWAY =
  /\b(drop\s+(table|column|view|function|type)|rename\s+(to|column)|set\s+not\s+null|alter\s+column\s+\w+\s+type)\b/i;
const COMPATIBILITY = 1795924000000;

it('a migration takes nothing away without saying which programs it still takes', () => {
  const silent = MIGRATIONS.filter((migration) => Number(/\d{13}$/.exec(migration.name)![0]) > COMPATIBILITY)
    .filter((migration) => TAKES_AWAY.test(String(migration.prototype.up)))
    .filter((migration) => !String(migration.prototype.up).includes('update schema_compatibility'));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

it('the schema is that of the golden file: a migration shows there what it changes', async () => {
  await expect(await readSchema(owner)).toMatchFileSnapshot('../golden/schema.sql');
});
