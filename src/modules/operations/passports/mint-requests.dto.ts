import { Choice, DateTime, Flag, ListOf, Nested, Text, Uuid } from '../../../common/fields/fields.js';
import { HasMore, NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { Passport, PassportId, RegisterPassport, TenantId } from './passports.dto.js';
import { MINT_STATUSES, PASSPORT_KINDS, type MintStatus, type PassportKind } from './passports.types.js';

const optional = true;
const nullable = true;

export class MintRequestPath {
  @Uuid({ about: 'The request.' })
  id!: string;
}

export class MintRequestQuery extends PageQuery {
  @Choice({ about: 'Only those in this state.', values: MINT_STATUSES, optional })
  status?: MintStatus;

  @TenantId('The tenant that is meant; that of the credential when absent.')
  tenant_id?: string;
}

export class AskForPassport extends RegisterPassport {
  @Text({ about: 'What it is for; whoever decides reads it.', optional, min: 1, max: 2_000 })
  why?: string;

  @PassportId('Who asks; the acting passport of the request when absent, and no other than that.', { optional })
  by_passport?: string;
}

export class DecideMintRequest {
  @PassportId('Who decides; the acting passport of the request when absent, and no other than that.', { optional })
  approver_passport?: string;

  @Text({ about: 'Why.', optional, min: 1, max: 2_000 })
  reason?: string;
}

export class MintRequest {
  @Uuid({ about: 'The request.' })
  mint_request_id!: string;

  @Text({ about: 'The passport that is asked for.' })
  passport_id!: string;

  @Text({ about: 'What people are to read.' })
  display_name!: string;

  @Choice({ about: 'Who is to bear it.', values: PASSPORT_KINDS })
  kind!: PassportKind;

  @Text({ about: 'Its Ed25519 public key in base64url; null: none.', nullable })
  public_key!: string | null;

  @Text({ about: 'The thumbprint of that key (RFC 7638).', nullable })
  fingerprint!: string | null;

  @Flag({ about: 'Whether who asks proved to have that key.' })
  attested!: boolean;

  @Text({ about: 'The tenant it is to be registered in.' })
  tenant_id!: string;

  @Text({ about: 'What it is for.', nullable })
  why!: string | null;

  @Choice({ about: 'Whether it was decided on, and how.', values: MINT_STATUSES })
  status!: MintStatus;

  @Text({ about: 'Who asked: a passport, else a principal.' })
  requested_by!: string;

  @DateTime({ about: 'When.' })
  requested_at!: string;

  @Text({ about: 'Who decided: a passport, else a principal.', nullable })
  decided_by!: string | null;

  @DateTime({ about: 'When that was.', nullable })
  decided_at!: string | null;

  @Text({ about: 'Why it was decided so.', nullable })
  reason!: string | null;
}

export class MintRequestReply {
  @Nested({ about: 'The request.', type: () => MintRequest })
  mint_request!: MintRequest;
}

export class MintedPassport extends MintRequestReply {
  @Nested({ about: 'The passport that was registered.', type: () => Passport })
  passport!: Passport;
}

export class MintRequestList {
  @ListOf({ about: 'The requests, newest first.', type: () => MintRequest })
  mint_requests!: MintRequest[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}
