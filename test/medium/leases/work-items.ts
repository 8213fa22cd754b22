import { Client } from 'pg';
import type { TestDatabase } from '../../kit/database.js';

/** One statement past the rights of the application: items are made and times are moved without its rules. */
export async function asSuperuser<Row extends object>(
  { superuserUrl }: TestDatabase,
  sql: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const client = new Client(superuserUrl);
  await client.connect();
  try {
    return (await client.query<Row>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}

/** Items in a project of their own, oldest first, as if they had been created one by one. */
export const makeItems = async (
  database: TestDatabase,
  project: string,
  count: number,
  { tenant = 'default', state = 'ready', priority = 2 } = {},
): Promise<string[]> => {
  const rows = await asSuperuser<{ work_id: string }>(
    database,
    `insert into work_item (tenant_id, work_id, project_id, title, state, priority, created_by, created_at)
     select $1, $2 || '-' || $5::text || '-' || lpad(n::text, 6, '0'), $2, 'Item ' || n, $4, $5::smallint, 'ada', now() + n * interval '1 millisecond'
     from generate_series(1, $3) n returning work_id`,
    [tenant, project, count, state, priority],
  );
  return rows.map(({ work_id }) => work_id).sort();
};

/** The time of a lease is over, as if it had passed, before any sweep has looked. */
export const runOut = (database: TestDatabase, fence: number): Promise<unknown> =>
  asSuperuser(
    database,
    `with over as (update lease set expires_at = clock_timestamp() - interval '1 ms', renewed_at = clock_timestamp() - interval '1 h'
       where fence = $1 returning tenant_id, fence, expires_at)
     update work_item w set lease_expires_at = o.expires_at from over o where w.tenant_id = o.tenant_id and w.lease_fence = o.fence`,
    [fence],
  );
