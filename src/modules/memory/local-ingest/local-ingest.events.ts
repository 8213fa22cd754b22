import type { OutboxEvent } from '../../../common/outbox/outbox.js';

/** A call of local ingest was sealed. */
export interface SegmentSealed {
  segment_seq: number;
  corpus_id: string;
  frame_count: number;
  segment_digest: string;
  receipt_id: string;
}

export const segmentSealed = (data: SegmentSealed): OutboxEvent => ({
  kind: 'segment.sealed',
  subject: String(data.segment_seq),
  data,
});
