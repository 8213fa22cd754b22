import {
  Choice,
  DateTime,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { HasMore, NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { MAX_ENTITY } from '../../memory/facts/facts.types.js';
import {
  EVIDENCE_KINDS,
  EVIDENCE_STATES,
  LINK_STATUSES,
  SOURCES,
  type EvidenceKind,
  type EvidenceState,
  type IdentifierSource,
  type LinkStatus,
} from './identity.types.js';

const optional = true;
const nullable = true;
const MAX_REASON = 2_000;
const TenantId = (about: string) => TenantIdMember(about, { optional: true, example: 'default' });
const EntityName = (about: string, more: { optional?: true } = {}) =>
  Text({ about, min: 1, max: MAX_ENTITY, example: 'person:ada', ...more });

export class LinkPath {
  @Uuid({ about: 'The pair.' })
  id!: string;
}

export class ProposeCandidates {
  @TextList({
    about: `Evidence to look for: some of ${EVIDENCE_KINDS.join(', ')}; all when absent.`,
    optional,
    max: 30,
    minItems: 1,
    maxItems: EVIDENCE_KINDS.length,
  })
  kinds?: string[];

  @EntityName('Only pairs with this entity.', { optional })
  entity?: string;

  @TenantId('The tenant that is looked through; that of the credential when absent.')
  tenant_id?: string;
}

export class DecideCandidate {
  @Text({ about: 'Why.', optional, min: 1, max: MAX_REASON })
  reason?: string;

  @TenantId('Its tenant; that of the credential when absent.')
  tenant_id?: string;
}

export class LinkEntities {
  @EntityName('An entity.')
  entity!: string;

  @EntityName('The other one.')
  other!: string;

  @Text({ about: 'Why.', optional, min: 1, max: MAX_REASON })
  reason?: string;

  @TenantId('Their tenant; that of the credential when absent.')
  tenant_id?: string;
}

export class IdentityCandidateQuery extends PageQuery {
  @Choice({ about: 'Only those in this state.', values: LINK_STATUSES, default: 'candidate' })
  status!: LinkStatus;

  @TenantId('The tenant that is meant; that of the credential when absent.')
  tenant_id?: string;
}

export class LinkQuery extends PageQuery {
  @EntityName('Only links of this entity and of those it is linked to, whose names `linked` has.', { optional })
  entity?: string;

  @TenantId('The tenant that is meant; that of the credential when absent.')
  tenant_id?: string;
}

/** One of the two places that an evidence was found in. */
export class IdentitySide {
  @Text({ about: 'The entity.' })
  entity!: string;

  @Choice({ about: 'Where it stands.', values: SOURCES })
  source!: IdentifierSource;

  @Text({ about: 'The key of the fact; of a passport key_fingerprint, of a seat email.' })
  key!: string;

  @Text({ about: 'The fact, the passport or the seat, as it was when it was found.' })
  ref!: string;
}

export class IdentityEvidence {
  @Choice({ about: 'What both have in common.', values: EVIDENCE_KINDS })
  kind!: EvidenceKind;

  @Choice({
    about:
      'stands: both still say the same. changed: one says something else. gone: one says nothing any more, for it was retired, set aside or revoked.',
    values: EVIDENCE_STATES,
  })
  state!: EvidenceState;

  @ListOf({ about: 'Where; the value itself is not kept.', type: () => IdentitySide })
  sides!: IdentitySide[];
}

/** Two entities that may be one. */
export class IdentityLink {
  @Uuid({ about: 'The pair.' })
  link_id!: string;

  @Text({ about: 'The lesser of the two names.' })
  entity!: string;

  @Text({ about: 'The other one.' })
  other!: string;

  @Choice({ about: 'candidate until somebody decides.', values: LINK_STATUSES })
  status!: LinkStatus;

  @Choice({ about: 'The best that is left of its evidence.', values: EVIDENCE_STATES })
  evidence_state!: EvidenceState;

  @ListOf({ about: 'What was equal when it was found.', type: () => IdentityEvidence })
  evidence!: IdentityEvidence[];

  @Text({ about: 'Who had it found.' })
  proposed_by!: string;

  @DateTime({ about: 'When.' })
  proposed_at!: string;

  @Text({ about: 'Who decided last.', nullable })
  decided_by!: string | null;

  @DateTime({ about: 'When that was.', nullable })
  decided_at!: string | null;

  @Text({ about: 'Why it was decided so.', nullable })
  reason!: string | null;
}

export class LinkDecision {
  @Nested({ about: 'The pair.', type: () => IdentityLink })
  link!: IdentityLink;

  @Text({ about: 'The receipt of the decision; null where it stood already.', nullable })
  receipt_id!: string | null;
}

export class ProposedCandidates {
  @Integer({ about: 'How many pairs are new.', min: 0 })
  proposed!: number;

  @Integer({ about: 'Pairs that were there before, whatever was decided; they stay as they are.', min: 0 })
  known!: number;

  @Integer({ about: 'Identifiers that too many entities share to say anything.', min: 0 })
  too_common!: number;

  @Flag({ about: 'There is more than was looked at or kept: name an entity or kinds, or call again.' })
  truncated!: boolean;

  @ListOf({ about: 'The first of the new ones; GET /v1/identity/candidates lists all.', type: () => IdentityLink })
  candidates!: IdentityLink[];

  @Text({ about: 'The receipt of what was proposed; null where nothing is new.', nullable })
  receipt_id!: string | null;
}

class IdentityPage {
  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class IdentityCandidateList extends IdentityPage {
  @ListOf({ about: 'The pairs, newest first.', type: () => IdentityLink })
  candidates!: IdentityLink[];
}

export class LinkList extends IdentityPage {
  @ListOf({ about: 'The links, newest first.', type: () => IdentityLink })
  links!: IdentityLink[];

  @TextList({
    about: 'With `entity`: it and all that links lead to, at most 1,000; otherwise absent.',
    optional,
    max: MAX_ENTITY,
    maxItems: 1_000,
  })
  linked?: string[];
}
