import { DateTime, Choice, Integer, ListOf, Nested, Text, TextList, Uuid } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';

const MAX_PREFIXES = 100;
/** As many characters as an entity of a fact has at most, and the name of a document. */
const MAX_PREFIX = 640;

const TenantId = (about: string, more: { optional?: true } = {}) =>
  TenantIdMember(about, { example: 'default', ...more });

export class PlaceLegalHold {
  @TenantId('The tenant whose content is pinned.')
  tenant_id!: string;

  @Text({ about: 'Why: the matter, for whoever reads the receipt.', min: 1, max: 2000, example: 'Matter 2026-17' })
  reason!: string;

  @TextList({
    about:
      'How the entities that are pinned begin, compared character by character: `project:atlas` pins `project:atlas-2` too. A document of the tenant API is the entity `document:<corpusId>/<docId>`. An empty list pins the whole tenant.',
    maxItems: MAX_PREFIXES,
    max: MAX_PREFIX,
    default: [],
  })
  entity_prefixes!: string[];
}

export class LegalHoldPath {
  @Uuid({ about: 'The hold.' })
  id!: string;
}

export class LegalHoldsQuery extends PageQuery {
  @TenantId('The tenant whose holds are meant; that of the credential when absent.', { optional: true })
  tenant_id?: string;

  @Choice({ about: 'Only those in this state.', values: ['active', 'released'], optional: true })
  status?: 'active' | 'released';
}

export class LegalHold {
  @Uuid({ about: 'The hold.' })
  id!: string;

  @Text({ about: 'Whose content it pins.' })
  tenant_id!: string;

  @Text({ about: 'Why.' })
  reason!: string;

  @TextList({ about: 'How the entities that it pins begin; none: the whole tenant.' })
  entity_prefixes!: string[];

  @Choice({ about: 'Whether it still pins.', values: ['active', 'released'] })
  status!: 'active' | 'released';

  @Text({ about: 'The incident that placed it; null where somebody did.', nullable: true })
  incident_id!: string | null;

  @Text({ about: 'The principal that placed it.' })
  placed_by!: string;

  @DateTime({ about: 'When.' })
  placed_at!: string;

  @Uuid({ about: 'The signed receipt (hold.placed).' })
  place_receipt!: string;

  @Text({ about: 'The principal that released it.', nullable: true })
  released_by!: string | null;

  @DateTime({ about: 'When.', nullable: true })
  released_at!: string | null;

  @Uuid({ about: 'The signed receipt (hold.released).', nullable: true })
  release_receipt!: string | null;
}

/** A signed receipt with what it takes to check it. */
export class HoldReceipt {
  @Uuid({ about: 'The receipt, as GET /v1/receipts/{receiptId} has it.' })
  receipt_id!: string;

  @Text({ about: 'hold.placed or hold.released.' })
  kind!: string;

  @Text({ about: 'When it was signed (RFC 3339).' })
  occurred_at!: string;

  @Text({ about: 'BLAKE3 of the bytes of the payload, `blake3:<hex>`.' })
  payload_hash!: string;

  @Text({ about: 'The receipt itself, a COSE_Sign1 with its payload: base64 with padding.' })
  cose_base64!: string;
}

export class LegalHoldReply {
  @Nested({ about: 'The hold as it is now.', type: () => LegalHold })
  hold!: LegalHold;

  @Nested({ about: 'The receipt of what was done.', type: () => HoldReceipt })
  receipt!: HoldReceipt;

  @Uuid({ about: 'Its id.' })
  receipt_record_id!: string;

  @Text({ about: 'svc.legal_hold/1' })
  schema!: 'svc.legal_hold/1';
}

export class LegalHoldList {
  @ListOf({ about: 'Newest first.', type: () => LegalHold })
  holds!: LegalHold[];

  @Integer({ about: 'How many are in this page.' })
  count!: number;

  @Text({ about: 'For the next page; null after the last one.', nullable: true })
  next_cursor!: string | null;
}

export class PinnedTable {
  @Text({ about: 'The kind of content, by its table.', example: 'fact' })
  table!: string;

  @Integer({ about: 'Rows that the hold pins, earlier versions and deleted ones among them.' })
  rows!: number;

  @Integer({ about: 'How many entities they are of.' })
  entities!: number;
}

export class RefusedDeletions {
  @Integer({
    about: 'Deletions that this hold refused, alone or with others; each has a receipt, or shares that of its minute.',
  })
  attempts!: number;

  @DateTime({ about: 'The last one.', nullable: true })
  last_at!: string | null;
}

export class LegalHoldDetails {
  @Nested({ about: 'The hold.', type: () => LegalHold })
  hold!: LegalHold;

  @ListOf({
    about: 'What it pins now, or would pin where it is released; tables without any are left out.',
    type: () => PinnedTable,
  })
  pins!: PinnedTable[];

  @Nested({ about: 'What it refused.', type: () => RefusedDeletions })
  refused!: RefusedDeletions;

  @Text({ about: 'svc.legal_hold/1' })
  schema!: 'svc.legal_hold/1';
}
