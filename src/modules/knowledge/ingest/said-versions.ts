import { INGEST_COMPLETED } from '../../../evidence/content-bindings.js';
import { BATCH_ACCEPTED } from '../../../evidence/ingest-batch.js';
import { type CborMap, type CborValue, isCborMap } from '../../../evidence/cbor.js';
import { ERASED_ID, openLeaves, type OpenLeaves, readErasedLeaves } from '../../../common/evidence-log/leaf-batches.js';
import type { FaultSink, StoredReceipt } from '../../../common/evidence-log/evidence-look.types.js';
import { readBodies, type ReadReceipt } from '../../../common/evidence-log/receipt-bodies.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { BATCHES, FIRST_ACCEPTANCES, INGESTS } from './document-evidence-sql.js';
import { DOCUMENTS_ERASED } from './ingest.events.js';
import { isOfBatch } from './ingest-receipts.rules.js';

export interface VersionName {
  tenant_id: string;
  corpus_id: string;
  doc_id: string;
  version: number;
}
/** What a receipt says of a version. */
export interface SaidVersion extends VersionName, Pick<ReadReceipt, 'actor' | 'occurredAt'> {
  receiptId: string;
  /** Not of its completion: each version has one such receipt. */
  isAcceptance: boolean;
  contentHash?: CborValue | undefined;
  /** Of the receipt under which it was accepted; those of local ingest do not say it. */
  shareability?: CborValue | undefined;
  /** Of the receipt that an ingest leaves at its end alone. */
  passages?: CborValue | undefined;
  passagesRoot?: CborValue | undefined;
  /** Of the receipt under which a text was accepted: the digest over the map of its places, which only a file has. */
  places?: CborValue | undefined;
  /** Where the receipt is of a batch, and says the rest by it. */
  leaf?: { readonly hash: Uint8Array; readonly ingestId: string; readonly kind: string };
}

export const keyOf = ({ tenant_id, corpus_id, doc_id, version }: VersionName): string =>
  JSON.stringify([tenant_id, corpus_id, doc_id, version]);

/** A receipt of local ingest speaks of many, all of one corpus. */
export function versionsIn({ tenantId, receiptId, kind, actor, occurredAt, body }: ReadReceipt): SaidVersion[] {
  const documents = kind === 'local.ingested' ? (body.documents as CborMap[]) : [body];
  return documents.map((one) => ({
    tenant_id: tenantId,
    corpus_id: body.corpus_id as string,
    doc_id: one.doc_id as string,
    version: Number(one.version),
    ...{ receiptId, actor, occurredAt },
    isAcceptance: kind !== INGEST_COMPLETED,
    contentHash: one.content_hash,
    shareability: one.shareability,
    passages: one.passages,
    passagesRoot: one.passages_root,
    places: isCborMap(one.file) ? one.file.places : undefined,
  }));
}

interface BatchRow {
  tenant_id: string;
  receipt_id: string;
  ids: string[] | null;
  leaves: Buffer | null;
}
interface IngestRow extends VersionName {
  ingest_id: string;
}

/** The versions that some batches bind, as the rows of their ingests name them. */
export async function versionsInBatches(
  query: Query,
  receipts: readonly ReadReceipt[],
  faultOf: (id: string) => FaultSink,
): Promise<SaidVersion[]> {
  if (receipts.length === 0) return [];
  const batches = await query<BatchRow>(BATCHES, [
    receipts.map(({ tenantId }) => tenantId),
    receipts.map(({ receiptId }) => receiptId),
  ]);
  const isErased = await readErasedLeaves(query, batches, DOCUMENTS_ERASED);
  const found: SaidVersion[] = [];
  for (const [n, batch] of batches.entries()) {
    const { tenantId, receiptId, kind, actor, occurredAt, body } = receipts[n]!;
    const faults = faultOf(receiptId);
    const opened = tryOpen(body, batch, (error) => {
      faults.add(`batch ${receiptId} of ingests of tenant ${tenantId}: ${error.message}`);
    });
    if (!opened) continue;
    const rows = await query<IngestRow>(INGESTS, [tenantId, opened.ids]);
    const ingests = new Map(rows.map((row) => [row.ingest_id, row]));
    for (const [index, ingestId] of opened.ids.entries()) {
      const row = ingests.get(ingestId);
      if (row)
        found.push({
          ...{ ...row, ...{ receiptId, actor, occurredAt }, isAcceptance: kind === BATCH_ACCEPTED },
          leaf: { hash: opened.leaves[index]!, ingestId, kind },
        });
      else if (ingestId !== ERASED_ID)
        faults.add(`ingest ${ingestId} of tenant ${tenantId}, receipt ${receiptId}: its row is gone`);
      else if (!isErased(batch, index))
        faults.add(`leaf ${index} of ${receiptId} names no ingest, and no receipt says that it was erased`);
    }
  }
  return found;
}

function tryOpen(body: CborMap, batch: BatchRow, onFault: (error: Error) => void): OpenLeaves | undefined {
  try {
    return openLeaves(body, batch);
  } catch (error) {
    onFault(error as Error);
    return undefined;
  }
}

/** What the first acceptances of versions say, read once a version: it may have been sent again very often. */
export class FirstAcceptances {
  private readonly read = new Map<string, SaidVersion[]>();

  constructor(private readonly query: Query) {}

  async of(name: VersionName): Promise<SaidVersion[]> {
    const key = keyOf(name);
    const first = this.read.get(key) ?? (await this.find(name));
    this.read.set(key, first);
    return first;
  }

  private async find(name: VersionName): Promise<SaidVersion[]> {
    const { tenant_id, corpus_id, doc_id, version } = name;
    const read = readBodies(
      await this.query<StoredReceipt>(FIRST_ACCEPTANCES, [tenant_id, corpus_id, doc_id, version]),
    );
    const batched = await versionsInBatches(this.query, read.filter(isOfBatch), () => ({ add: () => undefined }));
    return [...read.filter((receipt) => !isOfBatch(receipt)).flatMap(versionsIn), ...batched].filter(
      (one) => one.isAcceptance && keyOf(one) === keyOf(name),
    );
  }
}
