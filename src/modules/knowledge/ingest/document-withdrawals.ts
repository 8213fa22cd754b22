import type { StoredReceipt } from '../../../common/evidence-log/evidence-look.types.js';
import { readBodies } from '../../../common/evidence-log/receipt-bodies.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { WITHDRAWALS, WITHDRAWALS_AT_ONCE } from './document-evidence-sql.js';
import type { VersionName } from './said-versions.js';

type DocumentName = Omit<VersionName, 'version'>;

/** When documents were withdrawn last, as receipts say; read once a document: it may have very many versions. */
export class Withdrawals {
  private readonly read = new Map<string, number>();

  constructor(private readonly query: Query) {}

  /** @returns milliseconds since 1970; -Infinity where no receipt says that it was */
  async lastOf(document: DocumentName): Promise<number> {
    const key = JSON.stringify([document.tenant_id, document.corpus_id, document.doc_id]);
    const last = this.read.get(key) ?? (await this.find(document));
    this.read.set(key, last);
    return last;
  }

  private async find({ tenant_id, corpus_id, doc_id }: DocumentName): Promise<number> {
    for (let before: string | null = null; ;) {
      const rows: StoredReceipt[] = await this.query<StoredReceipt>(WITHDRAWALS, [tenant_id, doc_id, before]);
      const own = readBodies(rows).find(({ body }) => body.corpus_id === corpus_id && body.doc_id === doc_id);
      if (own) return Date.parse(own.occurredAt);
      if (rows.length < WITHDRAWALS_AT_ONCE) return -Infinity;
      before = rows.at(-1)!.receipt_id;
    }
  }
}
