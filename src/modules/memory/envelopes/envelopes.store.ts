import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { ImportCounts, ImportEnvelopeRequest } from './envelopes.dto.js';

export interface ImportedRow {
  artefact_id: string;
  imported_at: Date;
  receipt_id: string;
}

/** What is stored of an import in addition to the request. */
export interface ImportRecord {
  readonly artefactId: string;
  readonly schema: string;
  readonly purposeTag: string | null;
  readonly keyId: string;
  readonly signature: Uint8Array;
  readonly contentHash: Uint8Array;
  readonly payload: Uint8Array;
  readonly counts: ImportCounts;
  readonly receiptId: string;
  readonly importedBy: string;
  readonly importedAt: Date;
}

/** The results that were imported. */
@Injectable()
export class EnvelopesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Makes other imports of the job wait until the unit of work ends. @returns the import there was before, if any */
  async claim(jobId: string): Promise<ImportedRow | undefined> {
    await this.tenancy.lock('svc envelope', jobId);
    const [row] = await this.tenancy.query<ImportedRow>(
      'select artefact_id, imported_at, receipt_id from result_envelope where job_id = $1',
      [jobId],
    );
    return row;
  }

  async record(request: ImportEnvelopeRequest, made: ImportRecord): Promise<void> {
    await this.tenancy.query(
      `insert into result_envelope (tenant_id, job_id, artefact_id, schema_version, schema, purpose_tag, key_id, platform_signature, content_hash, payload,
         passport_fpr, credit_spend_receipt, companion_artifacts, counts, receipt_id, imported_by, imported_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
      [
        this.tenancy.tenant,
        request.job_id,
        made.artefactId,
        request.schema_version,
        made.schema,
        made.purposeTag,
        made.keyId,
        Buffer.from(made.signature),
        Buffer.from(made.contentHash),
        Buffer.from(made.payload),
        request.passport_fpr ?? null,
        request.credit_spend_receipt ?? null,
        JSON.stringify(request.companion_artifacts ?? []),
        JSON.stringify(made.counts),
        made.receiptId,
        made.importedBy,
        made.importedAt,
      ],
    );
  }
}
