import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { created, ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { DigestRevoked, PublisherRevoked, PublisherUnknown, ServerUnknown } from '../shield.problems.js';
import {
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
  ServerPath,
  ServerRequest,
  ServerStatusChange,
  ToolDigest,
} from './trust.dto.js';
import { TrustService } from './trust.service.js';

@Controller()
export class TrustController {
  constructor(private readonly trust: TrustService) {}

  @Route('GET /v1/shield/trust/publishers', {
    tag: 'shield',
    summary: 'List publishers',
    description: 'Trusted and revoked ones.',
    access: seats('owner'),
    reply: ok(PublisherList),
  })
  listPublishers(@Caller() caller: TenantCaller, @Query() query: PublisherListQuery): Promise<PublisherList> {
    return this.trust.listPublishers(caller, query);
  }

  @Route('POST /v1/shield/trust/publishers', {
    tag: 'shield',
    summary: 'Trust or revoke a publisher',
    description:
      'Registers it, or changes what is known of it. Sent again with status revoked, every call through its servers and tool definitions is refused, in every process from the moment this answers. Raises the policy version, which voids approvals that are pending or not used yet.',
    access: seats('owner'),
    reply: created(Publisher),
  })
  putPublisher(@Caller() caller: TenantCaller, @Body() request: PublisherRequest): Promise<Publisher> {
    return this.trust.putPublisher(caller, request);
  }

  @Route('GET /v1/shield/trust/digests', {
    tag: 'shield',
    summary: 'List tool definitions',
    description: 'Trusted and revoked ones.',
    access: seats('owner'),
    reply: ok(DigestList),
  })
  listDigests(@Caller() caller: TenantCaller, @Query() query: DigestListQuery): Promise<DigestList> {
    return this.trust.listDigests(caller, query);
  }

  @Route('POST /v1/shield/trust/digests', {
    tag: 'shield',
    summary: 'Trust a tool definition',
    description:
      'With serverId it is pinned to that server. A definition that changed has another digest, and needs trust again. A revoked one is trusted again by this. Raises the policy version.',
    access: seats('owner'),
    reply: created(ToolDigest),
    problems: [PublisherUnknown, PublisherRevoked, ServerUnknown],
  })
  pinDigest(@Caller() caller: TenantCaller, @Body() request: DigestRequest): Promise<ToolDigest> {
    return this.trust.pinDigest(caller, request);
  }

  @Route('POST /v1/shield/trust/digests/revoke', {
    tag: 'shield',
    summary: 'Revoke a tool definition',
    description:
      'Every call that names it is refused, through whatever server and in every process, from the moment this answers. Raises the policy version.',
    access: seats('owner'),
    reply: ok(ToolDigest),
  })
  revokeDigest(@Caller() caller: TenantCaller, @Body() request: DigestRevocation): Promise<ToolDigest> {
    return this.trust.revokeDigest(caller, request);
  }

  @Route('GET /v1/shield/servers', {
    tag: 'shield',
    summary: 'List servers',
    access: seats('owner'),
    reply: ok(ServerList),
  })
  listServers(@Caller() caller: TenantCaller, @Query() query: ServerListQuery): Promise<ServerList> {
    return this.trust.listServers(caller, query);
  }

  @Route('POST /v1/shield/servers', {
    tag: 'shield',
    summary: 'Register or update a server',
    description:
      'A new one is active; a known one keeps its status. With toolDigests, calls through it must name one of them in x-shield-tool-digest. Raises the policy version.',
    access: seats('owner'),
    reply: created(Server),
    problems: [PublisherUnknown, PublisherRevoked, DigestRevoked],
    tried: { body: { publisherId: 'acme-tools' }, after: ['putPublisher'] },
  })
  putServer(@Caller() caller: TenantCaller, @Body() request: ServerRequest): Promise<Server> {
    return this.trust.putServer(caller, request);
  }

  @Route('POST /v1/shield/servers/:serverId/status', {
    tag: 'shield',
    summary: 'Change the status of a server',
    description: 'Blocks it, quarantines it, or makes it active again.',
    access: seats('owner'),
    reply: ok(Server),
    problems: [ServerUnknown],
    tried: { parameters: { serverId: 'files-mcp' } },
  })
  setServerStatus(
    @Caller() caller: TenantCaller,
    @Param() { serverId }: ServerPath,
    @Body() change: ServerStatusChange,
  ): Promise<Server> {
    return this.trust.setServerStatus(caller, serverId, change);
  }
}
