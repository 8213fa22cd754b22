import type { OutboxEvent } from '../../../common/outbox/outbox.js';

export const ENVELOPE_IMPORTED = 'result_envelope.imported';

/** The result of a job was imported; its contents are stored in their modules. */
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
