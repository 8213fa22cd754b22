import type { OutboxEvent } from '../../../common/outbox/outbox.js';
import { STREAM_APPENDED } from './streams.types.js';

/** A stream grew; its payloads stay out of the outbox. */
export interface StreamGrown {
  stream_type: string;
  stream_id: string;
  first_seq: number;
  count: number;
  next_seq: number;
  receipt_id: string;
}

export const streamAppended = (data: StreamGrown): OutboxEvent => ({
  kind: STREAM_APPENDED,
  subject: `${data.stream_type}/${data.stream_id}`,
  data,
});
