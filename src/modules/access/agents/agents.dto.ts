import type { Tier } from '../../../common/contract/caller.js';
import { Choice, DateTime, Flag, Integer, ListOf, Text, Url, Uuid } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import {
  AGENT_TIERS,
  REGISTRATION_TYPES,
  SPONSOR_TIERS,
  SPONSORED_STATES,
  type RegistrationType,
  type SponsoredState,
  type SponsorTier,
} from './agents.types.js';

const FRAMEWORK = 64;
const ID = 'The agent: the id that its owner gives to a tenant that is to sponsor it.';

export class AgentRegisterRequest {
  @Text({ about: 'The framework the agent runs in.', min: 1, max: FRAMEWORK, example: 'langgraph' })
  agentFramework!: string;

  @Choice({
    about: 'How it registers; a sponsor comes later.',
    values: REGISTRATION_TYPES.slice(0, 1),
    default: 'self_signup',
  })
  registrationType!: RegistrationType;

  @Text({
    about: 'What people call the agent.',
    optional: true,
    min: 1,
    max: 120,
    example: 'Research assistant',
  })
  agentDisplayName?: string;

  @Url({ about: 'Where its owner can be reached; shown to its sponsor, never called.', optional: true, max: 2000 })
  callbackUrl?: string;

  @Text({ about: 'Digest of the build of the framework; shown to its sponsor.', optional: true, min: 8, max: 256 })
  frameworkFingerprint?: string;
}

/** What an agent may still do on its own; equal to the four x-svc-* headers. */
class AgentAllowance {
  @Choice({ about: 'Whether a tenant sponsors the agent.', values: REGISTRATION_TYPES })
  registrationType!: RegistrationType;

  @Uuid({ about: ID })
  agentPrincipalId!: string;

  @Text({ about: 'The tenant an agent acts in until it is sponsored.', example: 'svc-discovery' })
  discoveryTenantId!: string;

  @Integer({
    about: 'Credits left of the budget, which is not renewed. A sponsored agent no longer draws on it.',
    min: 0,
  })
  creditsRemaining!: number;

  @Integer({ about: 'Queries a UTC day without a sponsor.', min: 1 })
  dailyQueryLimit!: number;

  @Integer({ about: 'Queries left today without a sponsor.', min: 0 })
  dailyQueryRemaining!: number;

  @Flag({ about: 'Whether the agent needs a sponsor to do more than discover.' })
  sponsorRequired!: boolean;

  @Text({ about: 'Where a sponsor is found.' })
  upgradeUrl!: string;
}

export class AgentRegisterResponse extends AgentAllowance {
  @Text({
    about:
      'The bearer, whole: send it as Authorization: Bearer <sessionToken>. Shown this once. It lasts until expiresAt.',
    min: 16,
    example: 'svc_self_<payload>.<signature>',
  })
  sessionToken!: string;

  @DateTime({ about: 'When the bearer stops working, sponsored or not: 7 days after the registration.' })
  expiresAt!: string;
}

export class AgentSponsorRequestSummary extends AgentAllowance {
  @Text({ about: 'The tenant that sponsors the agent.', nullable: true })
  sponsorTenantId!: string | null;

  @DateTime({ about: 'When it began to.', nullable: true })
  sponsoredAt!: string | null;
}

export class AgentPath {
  @Uuid({ about: ID })
  agentPrincipalId!: string;
}

export class AgentSponsorClaimRequest {
  @Choice({
    about:
      'By which tier the agent is to act: what it may call and what that costs. A tenant gives no more than it has: where its own tier is lower, the agent acts by that, and by this one once the tenant has it.',
    values: SPONSOR_TIERS,
    default: 'starter',
  })
  tier!: SponsorTier;
}

export class AgentSponsorClaimResponse {
  @Flag({ about: 'Always true: a sponsorship that is not accepted is an error.' })
  accepted!: boolean;

  @Uuid({ about: ID })
  agentPrincipalId!: string;

  @Text({ about: 'The tenant that sponsors the agent from now on: the one of the session.' })
  sponsorTenantId!: string;

  @Choice({
    about: "At which tier it is sponsored: the one asked for, and no more than the tenant's own; at least starter.",
    values: SPONSOR_TIERS,
  })
  tier!: SponsorTier;

  @Choice({ about: 'By which tier it acts: the same, or free in a tenant of the free tier.', values: AGENT_TIERS })
  effectiveTier!: Tier;

  @Choice({ about: 'Always sponsored.', values: REGISTRATION_TYPES })
  registrationType!: RegistrationType;

  @DateTime({ about: 'When the sponsorship began.' })
  sponsoredAt!: string;
}

export class SponsoredAgent {
  @Uuid({ about: ID })
  agentPrincipalId!: string;

  @Choice({
    about: 'active: its bearer acts in this tenant. expired: its 7 days are over. released: the tenant let it go.',
    values: SPONSORED_STATES,
  })
  status!: SponsoredState;

  @Choice({
    about: "By which tier it acts: the lower of what it is sponsored at and the tenant's own.",
    values: AGENT_TIERS,
  })
  tier!: Tier;

  @Text({ about: 'The framework it said it runs in.' })
  agentFramework!: string;

  @Text({ about: 'The name it gave itself.', nullable: true })
  agentDisplayName!: string | null;

  @Url({ about: 'Where it said its owner can be reached.', nullable: true })
  callbackUrl!: string | null;

  @Text({ about: 'The digest of its framework, as it said.', nullable: true })
  frameworkFingerprint!: string | null;

  @DateTime({ about: 'When it registered.' })
  registeredAt!: string;

  @DateTime({ about: 'When this tenant began to sponsor it.' })
  sponsoredAt!: string;

  @Text({ about: 'Who decided that.', example: 'seat:0190a2c4-5d0e-7c3a-9f5b-3d1c2b4a5f60' })
  sponsoredBy!: string;

  @DateTime({ about: 'When its bearer stops working at the latest.' })
  expiresAt!: string;

  @DateTime({ about: 'When the tenant let it go.', nullable: true })
  releasedAt!: string | null;

  @Text({ about: 'Who decided that.', nullable: true })
  releasedBy!: string | null;

  @Text({ about: 'Why.', nullable: true })
  releaseReason!: string | null;
}

export class SponsoredAgentList {
  @ListOf({ about: 'Agents in the order in which they were sponsored.', type: () => SponsoredAgent })
  agents!: SponsoredAgent[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class SponsoredAgentQuery extends PageQuery {
  @Choice({ about: 'Only agents with this status.', values: SPONSORED_STATES, optional: true })
  status?: SponsoredState;

  @Choice({ about: 'Only agents that act by this tier.', values: AGENT_TIERS, optional: true })
  tier?: Tier;

  @Text({ about: 'Only agents of this framework.', optional: true, min: 1, max: FRAMEWORK })
  agentFramework?: string;
}

export class ReleaseQuery {
  @Text({ about: 'Why the agent is released; kept with it.', optional: true, min: 1, max: 500 })
  reason?: string;
}
