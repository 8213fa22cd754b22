import type { OutboxEvent } from '../../common/outbox/outbox.js';

export const ENVELOPE_IMPORTED = 'result_envelope.imported';

/** The result of a job was imported; what it held stands in the rooms it went to. */
export interface EnvelopeImport {
  job_id: string;
  artefact_id: string;
  purpose_tag: string | null;
  counts: object;
  receipt_id: string;
}

export const envelopeImported = (data: EnvelopeImport): OutboxEvent => ({
  kind: ENVELOPE_IMPORTED,
  subject: data.job_id,
  data,
});
