import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asSuperuser, freshDatabase, type TestDatabase } from '../../kit/database.js';

let database: TestDatabase;
let erasure: Client;
let other: Client;
beforeAll(async () => {
  database = await freshDatabase();
  [erasure, other] = [new Client(database.superuserUrl), new Client(database.superuserUrl)];
  await Promise.all([erasure.connect(), other.connect()]);
});
afterAll(async () => {
  await Promise.all([erasure.end(), other.end()]);
  await database.drop();
});

const store = (id: string) =>
  asSuperuser<{ ctid: string }>(
    database,
    `insert into proof_upstream_claim (tenant_id, kind, id) values ('acme', 'agent', '${id}') returning ctid`,
  );

it('an erasure leaves a row that has taken the place of one that it found', async () => {
  const [found] = await store('wagtail-1');
  // Older than the erasure, so that what it deletes is gone for good once it ends.
  await other.query(`begin; delete from proof_upstream_claim where id = 'wagtail-1'`);
  await erasure.query('begin');
  const names = { entities: [], entity_prefixes: [], fact_ids: [], documents: [], principals: [] };
  await erasure.query('select svc_find_subject($1, $2)', ['acme', { ...names, texts: ['wagtail-1'] }]);
  const { rows } = await erasure.query('select * from svc_found_rows($1)', ['acme']);
  expect(rows).toContainEqual(expect.objectContaining({ name: 'proof_upstream_claim', found: '1' }));
  await other.query('commit');
  // The statement before keeps its snapshot until the next one.
  await erasure.query('select 1');
  await other.query('vacuum (index_cleanup on) proof_upstream_claim');
  expect(await store('robin')).toEqual([found]);
  await erasure.query(`select * from svc_erase_found($1, $2, '{}', '{}', '{}')`, ['acme', randomUUID()]);
  await erasure.query('commit');
  expect(await database.query('select id from proof_upstream_claim')).toEqual([{ id: 'robin' }]);
});
