import { Choice, DateTime, ListOf, Text, Uuid } from '../../../../common/fields/fields.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';
import { SHA256_DIGEST } from '../../../../evidence/digest-forms.js';
import { UI_SESSION_STATES, type UiSessionState } from './ui-integrity.store.js';

export class UiIntegrityRequest {
  @Uuid({ about: 'The approval request to be shown; it must be pending.' })
  approvalRequestId!: string;
}

export class UiIntegritySession {
  @Uuid({ about: 'The session.' })
  uiIntegritySessionId!: string;

  @Uuid({ about: 'The approval request it shows.' })
  approvalRequestId!: string;

  @Choice({
    about: 'open until the approval is resolved with it; mismatched when something else was signed off.',
    values: UI_SESSION_STATES,
  })
  status!: UiSessionState;

  @Text({ about: 'The principal that opened it, and the only one that can resolve with it.' })
  openedBy!: string;

  @Text({ about: 'Random; part of the text, so that no two showings have the same digest.' })
  nonce!: string;

  @Text({
    about:
      'What the human is to be shown: who asks, for what, with which arguments. One line a member; UTF-8, lines end with LF.',
  })
  text!: string;

  @Text({
    about: 'SHA-256 of that text. A client computes it from what it did show, and does not copy it from here.',
    pattern: SHA256_DIGEST,
  })
  shownDigest!: string;

  @DateTime({ about: 'When it was opened.' })
  createdAt!: string;

  @DateTime({ about: 'When it ends: with the approval request.' })
  expiresAt!: string;

  @DateTime({ about: 'When it was used, or found not to match.', nullable: true })
  closedAt!: string | null;

  @Text({ about: 'What was signed off instead.', nullable: true })
  mismatchDigest!: string | null;
}

export class UiIntegrityList {
  @ListOf({ about: 'Sessions, the newest first.', type: () => UiIntegritySession })
  uiIntegritySessions!: UiIntegritySession[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class UiIntegrityListQuery extends PageQuery {
  @Uuid({ about: 'Only those of this approval request.', optional: true })
  approvalRequestId?: string;

  @Choice({ about: 'Only those with this status.', values: UI_SESSION_STATES, optional: true })
  status?: UiSessionState;
}
