import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { ServerStatus, TrustStatus } from '../shield.types.js';

export interface PublisherRow {
  publisher_id: string;
  name: string;
  public_key: Buffer | null;
  status: TrustStatus;
  reason: string;
  created_at: Date;
  changed_by: string;
  changed_at: Date;
}

export interface DigestRow {
  digest: string;
  tool: string | null;
  publisher_id: string | null;
  status: TrustStatus;
  reason: string;
  created_at: Date;
  changed_by: string;
  changed_at: Date;
}

export interface ServerRow {
  server_id: string;
  url: string | null;
  publisher_id: string;
  tool_digests: string[];
  status: ServerStatus;
  reason: string;
  created_at: Date;
  changed_by: string;
  changed_at: Date;
}

export type GivenPublisher = Pick<PublisherRow, 'publisher_id' | 'public_key' | 'status' | 'reason'> & {
  name: string | null;
};
export type GivenDigest = Pick<DigestRow, 'digest' | 'tool' | 'publisher_id' | 'status' | 'reason'>;
export type GivenServer = Pick<ServerRow, 'server_id' | 'url' | 'publisher_id' | 'tool_digests' | 'reason'>;

const PUBLISHER = 'publisher_id, name, public_key, status, reason, created_at, changed_by, changed_at';
const DIGEST = 'digest, tool, publisher_id, status, reason, created_at, changed_by, changed_at';
const SERVER = 'server_id, url, publisher_id, tool_digests, status, reason, created_at, changed_by, changed_at';

/** Publishers, tool definitions and servers; each row says who changed it last, when and why. */
@Injectable()
export class TrustStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** A name or a public key that is left out stays as it was. */
  async putPublisher(given: GivenPublisher, principal: string): Promise<PublisherRow> {
    return this.one<PublisherRow>(
      `insert into shield_publisher (tenant_id, publisher_id, name, public_key, status, reason, changed_by) values ($1, $2, coalesce($3, $2), $4, $5, $6, $7)
       on conflict (tenant_id, publisher_id) do update set name = coalesce($3, shield_publisher.name), public_key = coalesce(excluded.public_key, shield_publisher.public_key),
         status = excluded.status, reason = excluded.reason, changed_by = excluded.changed_by, changed_at = now()
       returning ${PUBLISHER}`,
      [given.publisher_id, given.name, given.public_key, given.status, given.reason, principal],
    );
  }

  async findPublisher(publisherId: string): Promise<PublisherRow | undefined> {
    const [row] = await this.tenancy.query<PublisherRow>(
      `select ${PUBLISHER} from shield_publisher where tenant_id = $1 and publisher_id = $2`,
      [this.tenancy.tenant, publisherId],
    );
    return row;
  }

  listPublishers(status: TrustStatus | undefined, after: string | undefined, limit: number): Promise<PublisherRow[]> {
    return this.tenancy.query<PublisherRow>(
      `select ${PUBLISHER} from shield_publisher
       where tenant_id = $1 and ($2::text is null or status = $2) and ($3::text is null or publisher_id > $3) order by publisher_id limit $4`,
      [this.tenancy.tenant, status ?? null, after ?? null, limit],
    );
  }

  /** Tool and publisher that are left out stay as they were. */
  async putDigest(given: GivenDigest, principal: string, drillId: string | null = null): Promise<DigestRow> {
    return this.one<DigestRow>(
      `insert into shield_digest (tenant_id, digest, tool, publisher_id, status, reason, changed_by, drill_id) values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (tenant_id, digest) do update set tool = coalesce(excluded.tool, shield_digest.tool),
         publisher_id = coalesce(excluded.publisher_id, shield_digest.publisher_id), status = excluded.status, reason = excluded.reason,
         changed_by = excluded.changed_by, changed_at = now()
       returning ${DIGEST}`,
      [given.digest, given.tool, given.publisher_id, given.status, given.reason, principal, drillId],
    );
  }

  listDigests(
    filter: { status?: TrustStatus; publisherId?: string },
    after: string | undefined,
    limit: number,
  ): Promise<DigestRow[]> {
    return this.tenancy.query<DigestRow>(
      `select ${DIGEST} from shield_digest where tenant_id = $1 and drill_id is null and ($2::text is null or status = $2)
         and ($3::text is null or publisher_id = $3) and ($4::text is null or digest > $4) order by digest limit $5`,
      [this.tenancy.tenant, filter.status ?? null, filter.publisherId ?? null, after ?? null, limit],
    );
  }

  /** Those of the given that are revoked. */
  async findRevoked(digests: string[]): Promise<string[]> {
    const rows = await this.tenancy.query<{ digest: string }>(
      `select digest from shield_digest where tenant_id = $1 and digest = any($2) and status = 'revoked'`,
      [this.tenancy.tenant, digests],
    );
    return rows.map(({ digest }) => digest);
  }

  /** A server that is known keeps its status. */
  async putServer(given: GivenServer, principal: string): Promise<ServerRow> {
    return this.one<ServerRow>(
      `insert into shield_server (tenant_id, server_id, url, publisher_id, tool_digests, status, reason, changed_by)
       values ($1, $2, $3, $4, $5, 'active', $6, $7)
       on conflict (tenant_id, server_id) do update set url = excluded.url, publisher_id = excluded.publisher_id,
         tool_digests = excluded.tool_digests, reason = excluded.reason, changed_by = excluded.changed_by, changed_at = now()
       returning ${SERVER}`,
      [given.server_id, given.url, given.publisher_id, given.tool_digests, given.reason, principal],
    );
  }

  /** Undefined when there is no such server. */
  async pin(serverId: string, digest: string): Promise<ServerRow | undefined> {
    const [row] = await this.tenancy.query<ServerRow>(
      `update shield_server set tool_digests = case when $3 = any(tool_digests) then tool_digests else tool_digests || $3::text end
       where tenant_id = $1 and server_id = $2 returning ${SERVER}`,
      [this.tenancy.tenant, serverId, digest],
    );
    return row;
  }

  async setServerStatus(
    serverId: string,
    { status, reason }: { status: ServerStatus; reason: string },
    principal: string,
  ): Promise<ServerRow | undefined> {
    const [row] = await this.tenancy.query<ServerRow>(
      `update shield_server set status = $3, reason = $4, changed_by = $5, changed_at = now() where tenant_id = $1 and server_id = $2
       returning ${SERVER}`,
      [this.tenancy.tenant, serverId, status, reason, principal],
    );
    return row;
  }

  listServers(
    filter: { status?: ServerStatus; publisherId?: string },
    after: string | undefined,
    limit: number,
  ): Promise<ServerRow[]> {
    return this.tenancy.query<ServerRow>(
      `select ${SERVER} from shield_server where tenant_id = $1 and ($2::text is null or status = $2)
         and ($3::text is null or publisher_id = $3) and ($4::text is null or server_id > $4) order by server_id limit $5`,
      [this.tenancy.tenant, filter.status ?? null, filter.publisherId ?? null, after ?? null, limit],
    );
  }

  private async one<Row>(sql: string, parameters: unknown[]): Promise<Row> {
    const [row] = await this.tenancy.query<Row>(sql, [this.tenancy.tenant, ...parameters]);
    if (!row) throw new Error('a trust record was not written');
    return row;
  }
}
