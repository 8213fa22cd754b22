import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  IdentityCandidateList,
  IdentityCandidateQuery,
  DecideCandidate,
  LinkDecision,
  LinkPath,
  ProposeCandidates,
  ProposedCandidates,
} from './identity.dto.js';
import { IdentityEvidenceMissing, IdentityLinkDecided, IdentityLinkUnknown } from './identity.problems.js';
import { IdentityCandidatesService } from './identity-candidates.service.js';
import { IdentityLinksService } from './identity-links.service.js';

const plane = { tag: 'identity', flag: 'identityLinks' as const };
const extension = true;

@Controller()
export class IdentityCandidatesController {
  constructor(
    private readonly candidates: IdentityCandidatesService,
    private readonly links: IdentityLinksService,
  ) {}

  @Route('POST /v1/identity/candidates/propose', {
    ...{ ...plane, summary: 'Propose entities that may be one' },
    description:
      'Looks through facts that are not private, passports and seats for entities with the same e-mail address, external id, key fingerprint or git author, and keeps each new pair with its evidence. Nothing is linked by it; what was decided before stays.',
    access: anyOf('admin:write'),
    reply: ok(ProposedCandidates),
    tried: { body: { entity: 'person:grace' } },
  })
  proposeIdentityCandidates(
    @Caller() caller: DaemonCaller,
    @Body() body: ProposeCandidates,
  ): Promise<ProposedCandidates> {
    return this.candidates.propose(caller, body);
  }

  @Route('GET /v1/identity/candidates', {
    ...{ ...plane, extension, summary: 'List pairs of entities by what was decided' },
    access: anyOf('admin:read', 'admin:write'),
    reply: ok(IdentityCandidateList),
    tried: { after: ['proposeIdentityCandidates'] },
  })
  listIdentityCandidates(
    @Caller() caller: DaemonCaller,
    @Query() query: IdentityCandidateQuery,
  ): Promise<IdentityCandidateList> {
    return this.candidates.list(caller, query);
  }

  @Route('POST /v1/identity/candidates/:id/accept', {
    ...{ ...plane, extension, summary: 'Link two entities' },
    description: 'A candidate, or one that was rejected or taken back; its evidence has to stand.',
    access: anyOf('admin:write'),
    reply: ok(LinkDecision),
    problems: [IdentityLinkUnknown, IdentityLinkDecided, IdentityEvidenceMissing],
    tried: { from: { id: 'proposeIdentityCandidates#/candidates/0/link_id' } },
  })
  acceptIdentityCandidate(
    @Caller() caller: DaemonCaller,
    @Param() { id }: LinkPath,
    @Body() body: DecideCandidate,
  ): Promise<LinkDecision> {
    return this.links.decide(caller, id, 'linked', body);
  }

  @Route('POST /v1/identity/candidates/:id/reject', {
    ...{ ...plane, extension, summary: 'Reject a candidate' },
    description: 'It is not proposed again.',
    access: anyOf('admin:write'),
    reply: ok(LinkDecision),
    problems: [IdentityLinkUnknown, IdentityLinkDecided, IdentityEvidenceMissing],
    tried: { from: { id: 'proposeIdentityCandidates#/candidates/1/link_id' } },
  })
  rejectIdentityCandidate(
    @Caller() caller: DaemonCaller,
    @Param() { id }: LinkPath,
    @Body() body: DecideCandidate,
  ): Promise<LinkDecision> {
    return this.links.decide(caller, id, 'rejected', body);
  }
}
