import { Client } from 'pg';
import { expect, it } from 'vitest';
import { freshDatabase } from '../../kit/database.js';

it('a snapshot of a shard never has a generation newer than its withdrawals', async () => {
  const database = await freshDatabase();
  const writer = new Client(database.urlAs('svc_app'));
  const reader = new Client(database.urlAs('svc_app'));
  await Promise.all([writer.connect(), reader.connect()]);
  for (const client of [writer, reader]) await client.query(`select set_config('svc.tenant_id', 'acme', false)`);
  const inserted = await writer.query(
    `insert into index_shard (tenant_id, corpus_id, shareability, language) values ('acme', 'c', 'owner_only', 'english') returning shard_id`,
  );
  const { shard_id: shardId } = inserted.rows[0];
  let isWriting = true;
  const writing = (async () => {
    for (let generation = 2; generation <= 1000; generation++) {
      await writer.query(
        `with advanced as (update index_shard set generation = $2 where tenant_id = 'acme' and shard_id = $1)
         insert into index_tombstone (tenant_id, shard_id, chunk_id, generation) values ('acme', $1, $2::text, $2)`,
        [shardId, generation],
      );
    }
    isWriting = false;
  })();
  let torn = 0;
  while (isWriting) {
    const { rows } = await reader.query(
      `select generation::int, coalesce((select max((t ->> 1)::int) from jsonb_array_elements(tombstones) t), 1) as latest
       from svc_index_state('acme', array[]::uuid[], array[]::bigint[])`,
    );
    if (rows[0].generation !== rows[0].latest) torn++;
  }
  await writing;
  expect(torn).toBe(0);
  await Promise.all([writer.end(), reader.end()]);
  await database.drop();
});
