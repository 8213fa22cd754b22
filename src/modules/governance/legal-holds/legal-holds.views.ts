import type { SignedReceipt } from '../../../evidence/receipt.js';
import type { LegalHoldRow } from './legal-hold.entity.js';
import type { HoldReceipt, LegalHold, LegalHoldDetails, LegalHoldReply } from './legal-holds.dto.js';
import type { PinnedRows, RefusedAttempts } from './legal-holds.store.js';

const SCHEMA = 'svc.legal_hold/1';

export const holdOf = (row: LegalHoldRow): LegalHold => ({
  id: row.holdId,
  tenant_id: row.tenantId,
  reason: row.reason,
  entity_prefixes: row.entityPrefixes,
  status: row.releasedAt === null ? 'active' : 'released',
  incident_id: row.incidentId,
  placed_by: row.placedBy,
  placed_at: row.placedAt.toISOString(),
  place_receipt: row.placeReceipt,
  released_by: row.releasedBy,
  released_at: row.releasedAt?.toISOString() ?? null,
  release_receipt: row.releaseReceipt,
});

export const holdReply = (row: LegalHoldRow, signed: SignedReceipt): LegalHoldReply => ({
  hold: holdOf(row),
  receipt: receiptOf(signed),
  receipt_record_id: signed.receiptId,
  schema: SCHEMA,
});

export const detailsOf = (row: LegalHoldRow, pins: PinnedRows[], refused: RefusedAttempts): LegalHoldDetails => ({
  hold: holdOf(row),
  pins: pins.map(({ table_name, row_count, entity_count }) => ({
    table: table_name,
    rows: Number(row_count),
    entities: Number(entity_count),
  })),
  refused: { attempts: Number(refused.attempts), last_at: refused.last_at?.toISOString() ?? null },
  schema: SCHEMA,
});

const receiptOf = ({ receiptId, payload, payloadHash, cose }: SignedReceipt): HoldReceipt => ({
  receipt_id: receiptId,
  kind: payload.kind,
  occurred_at: payload.occurred_at,
  payload_hash: payloadHash,
  cose_base64: Buffer.from(cose).toString('base64'),
});
