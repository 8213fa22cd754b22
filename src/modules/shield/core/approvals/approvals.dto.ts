import { SHA256_DIGEST } from '../../../../evidence/digest-forms.js';
import { Choice, DateTime, FreeObject, Integer, ListOf, Text, Uuid } from '../../../../common/fields/fields.js';
import { SERVER_ID, TOOL_DIGEST } from '../../../../common/call-policy/call-names.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';
import { APPROVAL_STATES, type ApprovalState } from '../shield.types.js';

export class ApprovalProposal {
  @Text({
    about: 'What is to be done: the address of a route as this document writes it, or the name of a tool.',
    min: 1,
    max: 300,
    example: 'POST /v1/ingest',
  })
  action!: string;

  @FreeObject({
    about:
      'With what. For a route the members path, query and body, each left out where the call has none, and the body without idempotencyKey; for a tool its parameters by the names of its input schema, without idempotency_key, session_token and shield_approval_token. The later call must carry exactly these, before defaults are filled in.',
    example: {
      body: {
        tenantId: 'default',
        corpusId: 'notes',
        docId: 'a',
        title: 'A',
        content: 'A.',
        url: 'https://example.org/a',
      },
    },
  })
  arguments!: Record<string, unknown>;

  @Text({ about: 'Why it should be done.', min: 1, max: 1000 })
  reason!: string;

  @Text({
    about:
      'The tool definition the call will be made with. Needed for a tool: GET /capabilities of the tool service lists it.',
    optional: true,
    pattern: TOOL_DIGEST,
  })
  toolDigest?: string;

  @Text({
    about: 'The server the tool belongs to. Left out for a tool of the tool service: svc-tools.',
    optional: true,
    min: 1,
    max: 120,
    pattern: SERVER_ID,
  })
  serverId?: string;

  @Integer({
    about: 'The most it may spend, in credits, where that is more than 100 or than the spend window has left.',
    optional: true,
    min: 1,
    max: 1_000_000_000,
  })
  spendCredits?: number;
}

export class Approval {
  @Uuid({ about: 'The approval request.' })
  approvalRequestId!: string;

  @Choice({
    about:
      'pending until somebody decides; approved until its token is used; void when the policy changed, or a principal ended, before that.',
    values: APPROVAL_STATES,
  })
  status!: ApprovalState;

  @Text({ about: 'The principal that asked, and the only one the token works for.' })
  principal!: string;

  @Text({ about: 'What is to be done.' })
  action!: string;

  @Text({ about: 'The server the call names.', nullable: true })
  serverId!: string | null;

  @Text({ about: 'The tool definition the call names.', nullable: true })
  toolDigest!: string | null;

  @Text({ about: 'SHA-256 of the arguments in canonical form (RFC 8785).', pattern: SHA256_DIGEST })
  argumentsDigest!: string;

  @FreeObject({ about: 'The arguments; null where they are longer than 256 KiB.', nullable: true })
  arguments!: Record<string, unknown> | null;

  @Integer({ about: 'The length of their canonical form in bytes.', min: 0 })
  argumentsBytes!: number;

  @Integer({ about: 'The policy version it was asked under; any change of policy voids it.', min: 1 })
  policyVersion!: number;

  @Integer({
    about:
      'The most it may spend, in credits; null where the request is not about spending: then it covers up to 100, within the spend window.',
    nullable: true,
    min: 1,
  })
  spendCredits!: number | null;

  @Uuid({ about: 'The refusal that asked for it; null when it was proposed.', nullable: true })
  decisionId!: string | null;

  @Text({ about: 'Why it is asked for: the rule that requires it, or the text of the proposal.' })
  reason!: string;

  @DateTime({ about: 'When it was asked for.' })
  requestedAt!: string;

  @DateTime({ about: '15 minutes later: the end of the request, and of the token where there is one.' })
  expiresAt!: string;

  @Text({ about: 'The principal that decided.', nullable: true })
  resolvedBy!: string | null;

  @DateTime({ about: 'When it was decided.', nullable: true })
  resolvedAt!: string | null;

  @Text({ about: 'Why it was decided so.', nullable: true })
  resolutionReason!: string | null;

  @Uuid({ about: 'The UI-integrity session it was signed off in.', nullable: true })
  uiIntegritySessionId!: string | null;

  @Uuid({ about: 'The signed receipt of the resolution.', nullable: true })
  receiptId!: string | null;

  @DateTime({ about: 'When the token was used.', nullable: true })
  usedAt!: string | null;

  @Uuid({ about: 'The decision it was used for.', nullable: true })
  usedDecisionId!: string | null;

  @DateTime({ about: 'When it expired or became void.', nullable: true })
  endedAt!: string | null;

  @Text({ about: 'What made it void.', nullable: true })
  endReason!: string | null;
}

export class ApprovalResolved extends Approval {
  @Text({
    about:
      'Opens the call in x-shield-approval-token, for the principal that asked, once; that principal may as well send the same call again without it. Shown here alone; null for a rejection.',
    nullable: true,
    min: 8,
  })
  approvalToken!: string | null;
}

export class ApprovalList {
  @ListOf({ about: 'Requests, the newest first.', type: () => Approval })
  approvals!: Approval[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class ApprovalListQuery extends PageQuery {
  @Choice({ about: 'Only those with this status.', values: APPROVAL_STATES, optional: true })
  status?: ApprovalState;

  @Text({ about: 'Only those this principal asked for.', optional: true, min: 1, max: 120 })
  principal?: string;

  @Text({ about: 'Only those for this action.', optional: true, min: 1, max: 300 })
  action?: string;
}

export class ApprovalPath {
  @Uuid({ about: 'The approval request.' })
  approvalRequestId!: string;
}

export const RESOLUTIONS = ['approve', 'reject'] as const;

export class ApprovalResolution {
  @Choice({ about: 'Yes or no.', values: RESOLUTIONS })
  decision!: (typeof RESOLUTIONS)[number];

  @Text({ about: 'Why; kept, and part of the receipt.', min: 1, max: 1000 })
  reason!: string;

  @Uuid({ about: 'The UI-integrity session in which the request was shown. Send shownDigest with it.', optional: true })
  uiIntegritySessionId?: string;

  @Text({
    about: 'SHA-256 of the text that was shown, as the client itself computed it.',
    optional: true,
    pattern: SHA256_DIGEST,
  })
  shownDigest?: string;
}
