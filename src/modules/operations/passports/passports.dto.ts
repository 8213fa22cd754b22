import { Choice, DateTime, Flag, Integer, ListOf, Nested, Text, TextList } from '../../../common/fields/fields.js';
import { HasMore, NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { PASSPORT_KINDS, PASSPORT_STATES, type PassportKind, type PassportState } from './passports.types.js';

const optional = true;
const nullable = true;
const BASE64URL = /^[\w-]+$/;

export const TenantId = (about: string) => TenantIdMember(about, { optional: true, example: 'default' });
export const PassportId = (about: string, more: { optional?: true } = {}) =>
  Text({ about, max: 128, pattern: PASSPORT, example: 'codex:7', ...more });

export class PassportPath {
  @PassportId('The passport.')
  id!: string;
}

export class PassportQuery extends PageQuery {
  @Choice({ about: 'Only those of this kind.', values: PASSPORT_KINDS, optional })
  kind?: PassportKind;

  @Choice({ about: 'Only those in this state.', values: PASSPORT_STATES, optional })
  state?: PassportState;

  @TenantId('The tenant whose passports are meant; that of the credential when absent.')
  tenant_id?: string;
}

export class PresenceQuery extends PageQuery {
  @Integer({
    about: 'Only those that were seen within so many seconds; all that were ever seen for 0.',
    min: 0,
    max: 2_592_000,
    default: 300,
  })
  within_seconds!: number;
}

export class RegisterPassport {
  @PassportId('What requests are to bear as X-Svc-Passport-Id, or tokens as passport_id. Stays taken for ever.')
  passport_id!: string;

  @Text({ about: 'What people read; the passport itself when absent.', optional, min: 1, max: 200, example: 'Codex' })
  display_name?: string;

  @Choice({ about: 'Who bears it.', values: PASSPORT_KINDS, default: 'agent' })
  kind!: PassportKind;

  @Text({
    about: 'An Ed25519 public key: its 32 bytes in base64url without padding. Not needed.',
    optional,
    max: 64,
    pattern: BASE64URL,
  })
  public_key?: string;

  @Text({
    about:
      'That whoever registers has that key: its signature, 64 bytes in base64url without padding, over the RFC 8785 form of {"schema": "svc.passport/1", "tenant_id", "passport_id", "public_key"}. Without it the passport is not attested.',
    optional,
    max: 128,
    pattern: BASE64URL,
  })
  proof?: string;

  @TenantId('The tenant it is registered in; that of the credential when absent.')
  tenant_id?: string;
}

export class RevokePassport {
  @Text({ about: 'Why; stands in the receipt.', optional, min: 1, max: 2_000 })
  reason?: string;

  @TenantId('The tenant it is registered in; that of the credential when absent.')
  tenant_id?: string;
}

export class Passport {
  @Text({ about: 'What requests and tokens name it by.' })
  passport_id!: string;

  @Text({ about: 'What people read.' })
  display_name!: string;

  @Choice({ about: 'Who bears it.', values: PASSPORT_KINDS })
  kind!: PassportKind;

  @Text({ about: 'Its Ed25519 public key in base64url; null: it has none.', nullable })
  public_key!: string | null;

  @Text({ about: 'The thumbprint of that key (RFC 7638); null without one.', nullable })
  fingerprint!: string | null;

  @Flag({ about: 'Whether whoever registered it proved to have that key. Its receipts say so where not.' })
  attested!: boolean;

  @TextList({ about: 'The tenants it is registered in, as far as this answer is about them.', max: 120, maxItems: 200 })
  tenants!: string[];

  @Text({ about: 'The principal that registered it.' })
  created_by!: string;

  @DateTime({ about: 'When.' })
  created_at!: string;

  @DateTime({ about: 'When it was revoked; null: it is active.', nullable })
  revoked_at!: string | null;

  @Text({ about: 'The principal that revoked it.', nullable })
  revoked_by!: string | null;

  @Text({ about: 'Why it was revoked.', nullable })
  revoke_reason!: string | null;

  @DateTime({ about: 'When a request bore it last, to half a minute; null: none so far.', nullable })
  last_seen_at!: string | null;
}

export class PassportReply {
  @Nested({ about: 'The passport.', type: () => Passport })
  passport!: Passport;
}

/** What ended with it in the database; streams that other processes have open end as well. */
export class EndedWithPassport {
  @Integer({ about: 'Leases of work and punchcards that were live.', min: 0 })
  leases!: number;

  @Integer({ about: 'Pending gates that it asked for, or that it alone could decide.', min: 0 })
  gates!: number;

  @Integer({ about: 'Intents that it announced.', min: 0 })
  intents!: number;

  @Integer({ about: 'Peers of memory sync that it added.', min: 0 })
  peers!: number;
}

export class RevokedPassport extends PassportReply {
  @Flag({ about: 'Whether this request revoked it; false: it was revoked before, and nothing was changed.' })
  revoked!: boolean;

  @Nested({ about: 'What ended with it.', type: () => EndedWithPassport })
  ended!: EndedWithPassport;
}

export class PassportList {
  @ListOf({ about: 'The passports, by their ids.', type: () => Passport })
  passports!: Passport[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class SeenPassport {
  @Text({ about: 'What the requests bore.' })
  passport_id!: string;

  @Flag({ about: 'Whether it is registered, and not revoked.' })
  registered!: boolean;

  @DateTime({ about: 'When a request bore it first.' })
  first_seen_at!: string;

  @DateTime({ about: 'When one bore it last, to half a minute.' })
  last_seen_at!: string;
}

export class PresenceList {
  @ListOf({ about: 'The passports that were seen, by their ids.', type: () => SeenPassport })
  presence!: SeenPassport[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}
