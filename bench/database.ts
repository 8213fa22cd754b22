import { Client, type QueryResultRow } from 'pg';
import { loadSettings } from '../src/common/config/settings.js';
import { withConnection } from '../src/common/database/connection.js';
import { openDatabase } from '../src/common/database/open.js';
import { TenantsStore } from '../src/common/keys/tenants.store.js';
import type { ApiAddress } from '../src/common/client/api-client.js';
import type { TemporaryServer } from '../src/common/client/temporary-server.js';

/** The database of a temporary server, accessed directly. */
export interface BenchDatabase {
  ownerUrl: string;
  /** As svc_operator, who sees every tenant. */
  query<Row extends QueryResultRow>(sql: string, parameters: unknown[]): Promise<Row[]>;
  /** Statements as the owner of the database, for tables of the benchmark's own. */
  asOwner(sql: string): Promise<void>;
  /** Makes tenants, each with a key. */
  addTenants(count: number): Promise<ApiAddress[]>;
  /** Another key of a tenant. */
  addKey(tenantId: string): Promise<string>;
}

/** Joins the embedded PostgreSQL of a temporary server for the length of some work. */
export async function withDatabase<T>(
  server: TemporaryServer,
  work: (database: BenchDatabase) => Promise<T>,
): Promise<T> {
  const { address, close } = await openDatabase(loadSettings({ SVC_DATA_DIR: server.dataDir }), () => undefined);
  const { ownerUrl } = address;
  if (!ownerUrl) throw new Error('A temporary server has a database of its own');
  const run = (client: Client): Promise<T> =>
    work({
      ownerUrl,
      query: async <Row extends QueryResultRow>(sql: string, parameters: unknown[]) =>
        (await client.query<Row>(sql, parameters)).rows,
      asOwner: async (sql) => {
        const owner = new Client({ connectionString: ownerUrl });
        await owner.connect();
        try {
          await owner.query(sql);
        } finally {
          await owner.end();
        }
      },
      addTenants: (count) => TenantsStore.using(address, (store) => addTenants(store, server.url, count)),
      addKey: async (tenantId) => (await TenantsStore.using(address, (store) => store.createKey(tenantId))).key.apiKey,
    });
  try {
    return await withConnection(address, 'svc_operator', run);
  } finally {
    await close();
  }
}

async function addTenants(store: TenantsStore, url: string, count: number): Promise<ApiAddress[]> {
  const made: ApiAddress[] = [];
  for (let i = 0; i < count; i++) {
    const tenantId = `bench-${i}`;
    const tenant = await store.createTenant(tenantId, 'team');
    if (!tenant) throw new Error(`There is a tenant ${tenantId} already`);
    made.push({ url, tenantId, apiKey: tenant.key.apiKey });
  }
  return made;
}
