import type { Client } from 'pg';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { Tier } from '../contract/caller.js';
import { withConnection, type DatabaseAddress } from '../database/connection.js';
import type { Query } from '../tenancy/cross-tenant.js';
import { OPERATOR } from '../evidence-log/audit-trail.js';
import { DISCOVERY_TENANT } from '../tenancy/discovery-tenant.js';
import type { TenantState } from '../tenancy/tenant-state.js';
import { insertKey, markKeyRevoked, markKeyRotated, statusOfKey, type MadeKey } from './key-rows.js';
import { insertTenant, type TenantMaking } from './tenant-rows.js';

const COLUMNS = 'tenant_id, tier, created_at, implicit, state';

export interface ListedTenant {
  tenant_id: string;
  tier: Tier;
  created_at: Date;
  /** Registered by a first write; nobody created it. */
  implicit: boolean;
  state: TenantState;
}
export interface ListedKey {
  tenant_id: string;
  key_id: string;
  prefix: string;
  created_at: Date;
  revoked_at: Date | null;
  expires_at: Date | null;
  status: 'active' | 'expired' | 'revoked';
}

/** Tenants and their keys, for the command line: one connection, as svc_operator. */
export class TenantsStore {
  private constructor(private readonly client: Client) {}

  static using<T>(address: DatabaseAddress, work: (store: TenantsStore) => Promise<T>): Promise<T> {
    return withConnection(address, 'svc_operator', (client) => work(new TenantsStore(client)));
  }

  /** From here to the end of the connection no other process makes the first tenant and its credentials. */
  async lockBootstrap(): Promise<void> {
    await this.client.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.bootstrap]);
  }

  /**
   * @returns the tenant's first key, or undefined when there is such a tenant already, or its name holds data that is
   * not to be adopted
   */
  async createTenant(
    tenantId: string,
    tier: Tier,
    { chosenKey, adopt }: { chosenKey?: string } & Pick<TenantMaking, 'adopt'> = {},
  ): Promise<MadeKey | undefined> {
    await this.client.query('begin');
    const isNew = await insertTenant(this.query, { tenantId, tier, adopt });
    const made = isNew ? await this.createKey(tenantId, chosenKey) : undefined;
    await this.client.query('commit');
    return made;
  }

  async findTenant(tenantId: string): Promise<ListedTenant | undefined> {
    return (await this.client.query<ListedTenant>(`select ${COLUMNS} from tenant where tenant_id = $1`, [tenantId]))
      .rows[0];
  }

  async listTenants(): Promise<ListedTenant[]> {
    return (await this.client.query<ListedTenant>(`select ${COLUMNS} from tenant order by tenant_id`)).rows;
  }

  createKey(tenantId: string, chosenKey?: string): Promise<MadeKey> {
    return insertKey(this.query, { tenantId, createdBy: OPERATOR.principal, chosenKey });
  }

  async listKeys(tenantId: string): Promise<ListedKey[]> {
    return (
      await this.client.query<ListedKey>(
        `select tenant_id, key_id, prefix, created_at, revoked_at, expires_at, ${statusOfKey('api_key')} as status
         from api_key where tenant_id = $1 order by created_at, key_id`,
        [tenantId],
      )
    ).rows;
  }

  /** @returns whether there was such a key that had not been revoked */
  async revokeKey(tenantId: string, keyId: string): Promise<boolean> {
    return (await markKeyRevoked(this.query, { tenantId, keyId, revokedBy: OPERATOR.principal })) !== undefined;
  }

  /**
   * A new key in place of one that still works, which is revoked in the same transaction; its label and expiry go on.
   * @returns undefined where it does not work any more
   */
  async rotateKey(tenantId: string, keyId: string): Promise<MadeKey | undefined> {
    await this.client.query('begin');
    const terms = await markKeyRotated(this.query, { tenantId, keyId, revokedBy: OPERATOR.principal });
    const making = { tenantId, createdBy: OPERATOR.principal, label: terms?.label, expiresAt: terms?.expires_at };
    const made = terms && (await insertKey(this.query, making));
    await this.client.query('commit');
    return made;
  }

  /** Whether nobody created a tenant yet; the one that agents live in is the server's own. */
  async isEmpty(): Promise<boolean> {
    const { rowCount } = await this.client.query(
      'select 1 from tenant where tenant_id <> $1 and not implicit limit 1',
      [DISCOVERY_TENANT],
    );
    return rowCount === 0;
  }

  private readonly query: Query = async <Row>(sql: string, parameters: unknown[] = []) =>
    (await this.client.query(sql, parameters)).rows as Row[];
}
