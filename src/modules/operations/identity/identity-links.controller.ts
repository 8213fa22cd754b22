import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { DecideCandidate, LinkDecision, LinkEntities, LinkList, LinkPath, LinkQuery } from './identity.dto.js';
import { IdentityEvidenceMissing, IdentityLinkDecided, IdentityLinkUnknown } from './identity.problems.js';
import { IdentityLinksService } from './identity-links.service.js';

const plane = { tag: 'identity', flag: 'identityLinks' as const, extension: true as const };

@Controller()
export class IdentityLinksController {
  constructor(private readonly links: IdentityLinksService) {}

  @Route('GET /v1/identity/links', {
    ...{ ...plane, summary: 'List links, and resolve an entity to those it is linked to' },
    access: anyOf('facts:write', 'admin:write', 'admin:read'),
    reply: ok(LinkList),
  })
  listLinks(@Caller() caller: DaemonCaller, @Query() query: LinkQuery): Promise<LinkList> {
    return this.links.list(caller, query);
  }

  @Route('POST /v1/identity/links', {
    ...{ ...plane, summary: 'Link two entities that have an identifier in common' },
    description: 'By what is stored of them now, never by say-so. A pair that was rejected or taken back stays so.',
    access: anyOf('facts:write', 'admin:write'),
    reply: ok(LinkDecision),
    problems: [IdentityLinkDecided, IdentityEvidenceMissing],
    tried: { body: { entity: 'user:grace', other: 'contact:grace' } },
  })
  linkEntities(@Caller() caller: DaemonCaller, @Body() body: LinkEntities): Promise<LinkDecision> {
    return this.links.link(caller, body);
  }

  @Route('DELETE /v1/identity/links/:id', {
    ...{ ...plane, summary: 'Take a link back' },
    description: 'Its entities are apart again, at once; the pair is not proposed again.',
    access: anyOf('facts:write', 'admin:write'),
    reply: ok(LinkDecision),
    problems: [IdentityLinkUnknown, IdentityLinkDecided, IdentityEvidenceMissing],
  })
  unlinkEntities(
    @Caller() caller: DaemonCaller,
    @Param() { id }: LinkPath,
    @Query() query: DecideCandidate,
  ): Promise<LinkDecision> {
    return this.links.decide(caller, id, 'unlinked', query);
  }
}
