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

it('is made by migrations in the order of their numbers, so that every database runs them in one order', () => {
  const numbers = MIGRATIONS.map((migration) => Number(/\d{13}$/.exec(new migration().name)![0]));
  expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right));
});

it('is that of the golden file: a migration shows there what it changes', async () => {
  await expect(await readSchema(owner)).toMatchFileSnapshot('../golden/schema.sql');
});
