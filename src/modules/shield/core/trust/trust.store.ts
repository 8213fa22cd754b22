import { Injectable } from '@nestjs/common';
import { Any, IsNull } from 'typeorm';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import type { ServerStatus, TrustStatus } from '../shield.types.js';
import { PublisherRow } from './publisher.entity.js';
import { ServerRow } from './server.entity.js';
import { ToolDigestRow } from './tool-digest.entity.js';

type Change = 'reason' | 'changedBy';
type GivenPublisher = Pick<PublisherRow, 'status' | Change> & Partial<Pick<PublisherRow, 'name' | 'publicKey'>>;
type GivenDigest = Pick<ToolDigestRow, 'status' | Change> & Partial<Pick<ToolDigestRow, 'tool' | 'publisherId'>>;
type GivenServer = Pick<ServerRow, 'url' | 'publisherId' | 'toolDigests' | Change>;

/** Publishers, tool definitions and servers; each row says who changed it last, when and why. */
@Injectable()
export class TrustStore {
  private readonly publishers: TenantRepository<PublisherRow>;
  private readonly digests: TenantRepository<ToolDigestRow>;
  private readonly servers: TenantRepository<ServerRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.publishers = new TenantRepository(tenancy, PublisherRow);
    this.digests = new TenantRepository(tenancy, ToolDigestRow);
    this.servers = new TenantRepository(tenancy, ServerRow);
  }

  /** A name or a public key that is left out stays as it was; a new publisher is called by its id. */
  putPublisher(publisherId: string, given: GivenPublisher): Promise<PublisherRow> {
    return this.publishers.put({ publisherId, ...given, name: given.name ?? publisherId }, overwritten(given));
  }

  findPublisher(publisherId: string): Promise<PublisherRow | undefined> {
    return this.publishers.find({ publisherId });
  }

  listPublishers(status: TrustStatus | undefined, after: [string] | undefined, take: number): Promise<PublisherRow[]> {
    return this.publishers.list({ status }, { order: { publisherId: 'asc' }, after, take });
  }

  /** Tool and publisher that are left out stay as they were. */
  putDigest(digest: string, given: GivenDigest, drillId?: string): Promise<ToolDigestRow> {
    return this.digests.put({ digest, drillId, ...given }, overwritten(given));
  }

  listDigests(
    { status, publisherId }: { status?: TrustStatus; publisherId?: string },
    after: [string] | undefined,
    take: number,
  ): Promise<ToolDigestRow[]> {
    return this.digests.list({ status, publisherId, drillId: IsNull() }, { order: { digest: 'asc' }, after, take });
  }

  /** One of the given that is revoked. */
  findRevoked(digests: string[]): Promise<ToolDigestRow | undefined> {
    return this.digests.find({ digest: Any(digests), status: 'revoked' });
  }

  /** A server that is known keeps its status. */
  putServer(serverId: string, given: GivenServer): Promise<ServerRow> {
    return this.servers.put({ serverId, status: 'active', ...given }, overwritten(given));
  }

  /** @returns whether there is such a server */
  async pin(serverId: string, digest: string): Promise<boolean> {
    const rows = await this.tenancy.query(
      `update shield_server set tool_digests = case when $3 = any(tool_digests) then tool_digests else tool_digests || $3::text end
       where tenant_id = $1 and server_id = $2 returning 1`,
      [this.tenancy.tenant, serverId, digest],
    );
    return rows.length > 0;
  }

  /** @returns undefined when there is no such server */
  async setServerStatus(serverId: string, given: Pick<ServerRow, 'status' | Change>): Promise<ServerRow | undefined> {
    return (await this.servers.update({ serverId }, { ...given, changedAt: () => 'now()' }))[0];
  }

  listServers(
    { status, publisherId }: { status?: ServerStatus; publisherId?: string },
    after: [string] | undefined,
    take: number,
  ): Promise<ServerRow[]> {
    return this.servers.list({ status, publisherId }, { order: { serverId: 'asc' }, after, take });
  }
}

/** What is written over a row that is there: the members that are given, and when. */
function overwritten<Given extends object>(given: Given): (keyof Given | 'changedAt')[] {
  const names = (Object.keys(given) as (keyof Given)[]).filter((name) => given[name] !== undefined);
  return [...names, 'changedAt'];
}
