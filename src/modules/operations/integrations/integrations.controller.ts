import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { GithubItemsService } from './github-items.service.js';
import {
  ConnectedGithub,
  ConnectGithub,
  DisconnectedIntegration,
  GithubItemList,
  GithubItemsQuery,
  IntegrationList,
  IntegrationPath,
  IntegrationReply,
  IntegrationsQuery,
  TenantQuery,
} from './integrations.dto.js';
import { GithubUnavailable, IntegrationsFull, IntegrationUnknown, TokenRefused } from './integrations.problems.js';
import { IntegrationsService } from './integrations.service.js';

const COMMON = { tag: 'integrations', flag: 'integrations' } as const;
const extension = true;
const reads = anyOf('admin:read');
const installs = anyOf('integrations:install');
/** As the specification says of the route, which names no scopes of its own. */
const connects = anyOf('integrations:install', 'integrations:disable');

@Controller()
export class IntegrationsController {
  constructor(
    private readonly integrations: IntegrationsService,
    private readonly items: GithubItemsService,
  ) {}

  @Route('POST /v1/integrations/github/connect', {
    ...{ ...COMMON, summary: 'Connect an account of GitHub', access: connects, reply: ok(ConnectedGithub) },
    description:
      'The token is checked by GET /user of SVCD_GITHUB_API_URL, sealed, and shown to nobody again. The answer has the secret of its webhooks, this once. Of an account that is connected already the token is exchanged, and its webhooks go on.',
    secretReply: true,
    problems: [TokenRefused, GithubUnavailable, IntegrationsFull],
  })
  connectGithub(@Caller() caller: DaemonCaller, @Body() body: ConnectGithub): Promise<ConnectedGithub> {
    return this.integrations.connect(caller, body);
  }

  @Route('GET /v1/integrations', {
    ...{ ...COMMON, extension, summary: 'List integrations', access: reads, reply: ok(IntegrationList) },
  })
  listIntegrations(@Caller() caller: DaemonCaller, @Query() query: IntegrationsQuery): Promise<IntegrationList> {
    return this.integrations.list(caller, query);
  }

  @Route('GET /v1/integrations/github/items', {
    ...{ ...COMMON, extension, summary: 'List issues and pull requests', access: reads, reply: ok(GithubItemList) },
    description: 'As webhooks reported them last, with the work items whose linked_issue or linked_pr names them.',
  })
  listGithubItems(@Caller() caller: DaemonCaller, @Query() query: GithubItemsQuery): Promise<GithubItemList> {
    return this.items.list(caller, query);
  }

  @Route('POST /v1/integrations/:id/check', {
    ...{ ...COMMON, extension, summary: 'Check the token of an integration', access: installs },
    reply: ok(IntegrationReply),
    description: 'Asks GitHub whether it still takes the token that is kept.',
    tenantBound: true,
    problems: [IntegrationUnknown, TokenRefused, GithubUnavailable],
  })
  checkIntegration(
    @Caller() caller: DaemonCaller,
    @Param() { id }: IntegrationPath,
    @Query() { tenant_id }: TenantQuery,
  ): Promise<IntegrationReply> {
    return this.integrations.check(caller, id, tenant_id);
  }

  @Route('DELETE /v1/integrations/:id', {
    ...{ ...COMMON, extension, summary: 'Disconnect an integration', access: anyOf('integrations:disable') },
    reply: ok(DisconnectedIntegration),
    description:
      'Its token and secret are destroyed, and what its webhooks reported goes with it. Comments of work stay.',
    tenantBound: true,
    problems: [IntegrationUnknown],
  })
  disconnectIntegration(
    @Caller() caller: DaemonCaller,
    @Param() { id }: IntegrationPath,
    @Query() { tenant_id }: TenantQuery,
  ): Promise<DisconnectedIntegration> {
    return this.integrations.disconnect(caller, id, tenant_id);
  }
}
