import { Injectable } from '@nestjs/common';
import { TOOL_DIGEST } from '../../../../common/call-policy/call-names.js';
import { inLowerCase } from '../../../../common/fields/lower-case.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { invalid, invalidMembers } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { PolicyService } from '../policy/policy.service.js';
import { DigestRevoked, PublisherRevoked, PublisherUnknown, ServerUnknown } from '../shield.problems.js';
import type { PublisherRow } from './publisher.entity.js';
import type { ServerRow } from './server.entity.js';
import type { ToolDigestRow } from './tool-digest.entity.js';
import type {
  DigestList,
  DigestListQuery,
  DigestRequest,
  DigestRevocation,
  Publisher,
  PublisherList,
  PublisherListQuery,
  PublisherRequest,
  Server,
  ServerList,
  ServerListQuery,
  ServerRequest,
  ServerStatusChange,
  ToolDigest,
} from './trust.dto.js';
import type { TrustRow } from './trust-row.js';
import { isSignedBy, keyOf } from './trust.rules.js';
import { TrustStore } from './trust.store.js';

/**
 * Whom and what calls may come through: publishers, tool definitions, servers. Every change raises the policy version.
 */
@Injectable()
export class TrustService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly trust: TrustStore,
    private readonly policy: PolicyService,
  ) {}

  /** @throws ValidationFailed */
  async putPublisher(caller: TenantCaller, request: PublisherRequest): Promise<Publisher> {
    const { name, publicKey, status, reason } = request;
    const publisherId = inLowerCase(request.publisherId);
    const key = publicKey === undefined ? undefined : Buffer.from(publicKey, 'base64');
    if (key && !keyOf(key)) throw invalid('body.publicKey', 'is no Ed25519 public key');
    const given = { name, publicKey: key, status, reason, changedBy: caller.principal };
    const row = await this.trust.putPublisher(publisherId, given);
    const facts = { status, name: row.name, publicKey: row.publicKey?.toString('base64') ?? null };
    await this.policy.change(caller, { kind: `shield.publisher_${status}`, subject: publisherId, reason, facts });
    return toPublisher(row);
  }

  /** @throws PublisherUnknown, PublisherRevoked, ServerUnknown, ValidationFailed */
  async pinDigest(caller: TenantCaller, request: DigestRequest): Promise<ToolDigest> {
    const { tool, signature, reason } = request;
    const digest = inLowerCase(request.digest);
    const publisherId = request.publisherId && inLowerCase(request.publisherId);
    const serverId = request.serverId ? inLowerCase(request.serverId) : null;
    if (publisherId !== undefined) checkSignature(await this.readTrusted(publisherId), digest, signature);
    const given = { tool, publisherId, status: 'trusted', reason, changedBy: caller.principal } as const;
    const row = await this.trust.putDigest(digest, given);
    if (serverId !== null && !(await this.trust.pin(serverId, digest))) throw serverUnknown(serverId);
    const facts = { tool: row.tool, publisherId: row.publisherId, serverId };
    await this.policy.change(caller, { kind: 'shield.digest_trusted', subject: digest, reason, facts });
    return toDigest(row);
  }

  async revokeDigest(caller: TenantCaller, { digest: given, reason }: DigestRevocation): Promise<ToolDigest> {
    const digest = inLowerCase(given);
    const row = await this.trust.putDigest(digest, { status: 'revoked', reason, changedBy: caller.principal });
    const facts = { tool: row.tool, publisherId: row.publisherId };
    await this.policy.change(caller, { kind: 'shield.digest_revoked', subject: digest, reason, facts });
    return toDigest(row);
  }

  /** @throws PublisherUnknown, PublisherRevoked, DigestRevoked, ValidationFailed */
  async putServer(caller: TenantCaller, request: ServerRequest): Promise<Server> {
    const { url = null, reason } = request;
    const [serverId, publisherId] = [inLowerCase(request.serverId), inLowerCase(request.publisherId)];
    checkDigests(request.toolDigests);
    const toolDigests = [...new Set(request.toolDigests.map(inLowerCase))];
    await this.readTrusted(publisherId);
    const revoked = await this.trust.findRevoked(toolDigests);
    if (revoked)
      throw new DigestRevoked(
        { digest: revoked.digest },
        'Trust it again with POST /v1/shield/trust/digests, or leave it out',
      );
    const given = { url, publisherId, toolDigests, reason, changedBy: caller.principal };
    const row = await this.trust.putServer(serverId, given);
    const facts = { url, publisherId, toolDigests: row.toolDigests, status: row.status };
    await this.policy.change(caller, { kind: 'shield.server_registered', subject: serverId, reason, facts });
    return toServer(row);
  }

  /** @throws ServerUnknown */
  async setServerStatus(caller: TenantCaller, named: string, change: ServerStatusChange): Promise<Server> {
    const { status, reason } = change;
    const serverId = inLowerCase(named);
    const row = await this.trust.setServerStatus(serverId, { status, reason, changedBy: caller.principal });
    if (!row) throw serverUnknown(serverId);
    await this.policy.change(caller, { kind: `shield.server_${status}`, subject: serverId, reason, facts: { status } });
    return toServer(row);
  }

  async listPublishers(caller: TenantCaller, query: PublisherListQuery): Promise<PublisherList> {
    const after = decodeCursor(query.cursor, ['text']);
    const rows = await this.tenancy.run(caller.tenantId, () =>
      this.trust.listPublishers(query.status, after, query.limit + 1),
    );
    const { page, next_cursor } = takePage(rows, query.limit, (row) => [row.publisherId]);
    return { publishers: page.map(toPublisher), next_cursor };
  }

  async listDigests(caller: TenantCaller, query: DigestListQuery): Promise<DigestList> {
    const after = decodeCursor(query.cursor, ['text']);
    const rows = await this.tenancy.run(caller.tenantId, () =>
      this.trust.listDigests(filterOf(query), after, query.limit + 1),
    );
    const { page, next_cursor } = takePage(rows, query.limit, (row) => [row.digest]);
    return { digests: page.map(toDigest), next_cursor };
  }

  async listServers(caller: TenantCaller, query: ServerListQuery): Promise<ServerList> {
    const after = decodeCursor(query.cursor, ['text']);
    const rows = await this.tenancy.run(caller.tenantId, () =>
      this.trust.listServers(filterOf(query), after, query.limit + 1),
    );
    const { page, next_cursor } = takePage(rows, query.limit, (row) => [row.serverId]);
    return { servers: page.map(toServer), next_cursor };
  }

  private async readTrusted(publisherId: string): Promise<PublisherRow> {
    const row = await this.trust.findPublisher(publisherId);
    if (!row) throw new PublisherUnknown({ publisherId }, 'Register it first: POST /v1/shield/trust/publishers');
    if (row.status === 'trusted') return row;
    throw new PublisherRevoked({ publisherId }, `It was revoked: ${row.reason}`);
  }
}

const filterOf = <Status>({ status, publisherId }: { status?: Status; publisherId?: string }) => ({
  status,
  publisherId: publisherId && inLowerCase(publisherId),
});

function checkSignature({ publicKey: key }: PublisherRow, digest: string, signature: string | undefined): void {
  if (key === null) return;
  if (signature !== undefined && isSignedBy(key, digest, Buffer.from(signature, 'base64'))) return;
  throw invalid(
    'body.signature',
    signature === undefined ? 'is needed: this publisher has a key' : "is not the publisher's signature of this digest",
  );
}

function checkDigests(digests: string[]): void {
  const issues = digests.flatMap((digest, index) =>
    TOOL_DIGEST.test(digest)
      ? []
      : [{ path: `body.toolDigests[${index}]`, message: 'must be sha256:<64 hexadecimal digits>' }],
  );
  if (issues.length > 0) throw invalidMembers(issues);
}

const serverUnknown = (serverId: string) =>
  new ServerUnknown({ serverId }, 'Register it first: POST /v1/shield/servers');

const changed = (row: TrustRow) => ({
  reason: row.reason,
  createdAt: row.createdAt.toISOString(),
  updatedBy: row.changedBy,
  updatedAt: row.changedAt.toISOString(),
});

const toPublisher = (row: PublisherRow): Publisher => ({
  publisherId: row.publisherId,
  name: row.name,
  publicKey: row.publicKey?.toString('base64') ?? null,
  status: row.status,
  ...changed(row),
});

const toDigest = (row: ToolDigestRow): ToolDigest => ({
  digest: row.digest,
  tool: row.tool,
  publisherId: row.publisherId,
  status: row.status,
  ...changed(row),
});

const toServer = (row: ServerRow): Server => ({
  serverId: row.serverId,
  url: row.url,
  publisherId: row.publisherId,
  toolDigests: row.toolDigests,
  status: row.status,
  ...changed(row),
});
