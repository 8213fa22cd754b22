import { Client } from 'pg';
import type { BenchDatabase } from './database.js';

/** The leanest queue that PostgreSQL can be: a primary key, an index of what is ready, one statement for each claim. */
const TABLE = `
  create table bench_claim (id bigint primary key, state text not null, holder text, expires_at timestamptz);
  create index on bench_claim (id) where state = 'ready'`;
const FILL = `insert into bench_claim (id, state) select n, 'ready' from generate_series(1, $1::int) n`;
const CLAIM = {
  name: 'bench_claim',
  text: `
    update bench_claim set state = 'in_progress', holder = $1, expires_at = clock_timestamp() + interval '1 minute'
    where id = (select id from bench_claim where state = 'ready' order by id for update skip locked limit 1) returning id`,
};
const RELEASE = {
  name: 'bench_release',
  text: `update bench_claim set state = 'ready', holder = null, expires_at = null where id = $1`,
};

/** Claims and releases with nothing around them: neither HTTP nor evidence, blockers, filters or history. */
export async function withBareClaims<T>(
  database: BenchDatabase,
  { items, workers }: { items: number; workers: number },
  work: (claims: readonly BareClaims[]) => Promise<T>,
): Promise<T> {
  await database.asOwner(TABLE);
  const clients = await Promise.all(Array.from({ length: workers }, () => connect(database.ownerUrl)));
  try {
    await clients[0]!.query(FILL, [items]);
    return await work(clients.map(claimsOf));
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await database.asOwner('drop table bench_claim');
  }
}

/** Of one worker. */
export interface BareClaims {
  claim(holder: string): Promise<string>;
  release(id: string): Promise<void>;
}

const claimsOf = (client: Client): BareClaims => ({
  claim: async (holder) => (await client.query<{ id: string }>({ ...CLAIM, values: [holder] })).rows[0]!.id,
  release: async (id) => void (await client.query({ ...RELEASE, values: [id] })),
});

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}
