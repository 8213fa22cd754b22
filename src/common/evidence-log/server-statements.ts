import { ES256_KIND } from '../../evidence/es256-statement.js';
import { KEY_STREAM } from '../../evidence/key-chain.js';
import { EPOCH_KIND, EPOCH_STREAM } from '../../evidence/log-epoch.js';
import { openReceipt, type ReceiptPayload, SERVER_TENANT } from '../../evidence/receipt.js';
import type { Query } from '../tenancy/cross-tenant.js';
import type { FaultSink, StoredReceipt, SubjectCheck } from './evidence-look.types.js';
import { FIRST_KIND } from './known-keys.js';
import { openStored } from './stored-receipts.js';

/** The keys of the server and the epochs of its log against the receipts that name them: none is ever removed. */
export class ServerStatements implements SubjectCheck {
  readonly name = 'statements';
  readonly kinds = [EPOCH_KIND, FIRST_KIND, 'key.rotated', 'key.adopted', ES256_KIND];
  /** All of them, whichever blocks are asked for: they are few, and a row that was deleted names none. */
  readonly rows = [
    {
      table: 'signing_key',
      receipts: `
        select tenant_id, receipt_id, subject as name from receipt
        where tenant_id = '${SERVER_TENANT}' and stream in ('${KEY_STREAM}', '${EPOCH_STREAM}') and $1::tid is not null and $2::tid is not null`,
    },
  ];

  async check(query: Query, receipts: readonly StoredReceipt[], faultOf: (id: string) => FaultSink): Promise<void> {
    const said = receipts.filter(({ tenant_id }) => tenant_id === SERVER_TENANT).flatMap(statementOf);
    if (said.length === 0) return;
    const rows = await query<{ statement: Buffer | null }>(STATEMENTS, [
      said.map(({ payload }) => payload.kind),
      said.map(({ payload }) => payload.subject),
    ]);
    for (const [index, { receiptId, payload, cose }] of said.entries()) {
      const fault = findFault(payload, cose, rows[index]!.statement);
      if (fault !== undefined) faultOf(receiptId).add(`${nameOf(payload)}, receipt ${receiptId}: ${fault}`);
    }
  }
}

interface Statement {
  readonly receiptId: string;
  readonly payload: ReceiptPayload;
  readonly cose: Buffer;
}

/** One that cannot be read is named by the check of the chains. */
function statementOf({ receipt_id: receiptId, cose }: StoredReceipt): Statement[] {
  try {
    return [{ receiptId, payload: openStored(cose).receipt.payload, cose }];
  } catch {
    return [];
  }
}

const nameOf = ({ kind, subject }: ReceiptPayload): string =>
  kind === EPOCH_KIND ? `epoch ${subject} of the log` : `signing key ${subject}`;

/** A key that is named again has the later statement. */
function findFault({ seq }: ReceiptPayload, cose: Buffer, kept: Buffer | null): string | undefined {
  if (kept === null) return 'its row is gone';
  if (kept.equals(cose)) return undefined;
  try {
    if (openReceipt(kept).payload.seq > seq) return undefined;
  } catch {
    // No statement at all.
  }
  return 'its row has another statement';
}

const STATEMENTS = `
  select coalesce(e.record, k.statement, s.statement) as statement
  from unnest($1::text[], $2::text[]) with ordinality n (kind, subject, place)
    left join log_epoch e on n.kind = '${EPOCH_KIND}' and e.origin = n.subject
    left join es256_key s on n.kind = '${ES256_KIND}' and s.kid = n.subject
    left join signing_key k on n.kind not in ('${EPOCH_KIND}', '${ES256_KIND}') and k.kid = n.subject
  order by n.place`;
