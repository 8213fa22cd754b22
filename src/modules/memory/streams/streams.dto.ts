import { DateTime, FreeObject, Integer, ListReadLater, Text, Uint64, Uuid } from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';

/** That one call appends. */
export const MAX_EVENTS = 10_000;
export const MAX_STREAM_ID_BYTES = 1024;

/** One event, as it is sent. */
export class AppendEvent {
  @Text({ about: 'What happened, in your own words.', min: 1, max: 120, example: 'order.paid' })
  type!: string;

  @FreeObject({
    isReadLater: true,
    about:
      'What there is to say of it: any JSON object of up to 100,000 values, lists and objects counted, and at most 10,000 members in each object. Whole numbers past 2^53 - 1 are refused, because JSON readers lose their digits: send them as text.',
    example: { order: 'o-17', cents: 4200 },
  })
  payload!: Record<string, unknown>;

  @DateTime({ about: 'When it happened; kept to the millisecond, in UTC.', optional: true })
  occurred_at?: string;

  @Text({
    about:
      'Your own name for the event, by which a repeat is known: an event whose event_id is in the stream already is not appended again, and the same event_id with another content is refused (409).',
    optional: true,
    min: 1,
    max: 128,
    example: '01JC3Q8Y6V',
  })
  event_id?: string;
}

export class AppendRequest {
  @TenantIdMember('The tenant whose stream it is.', { example: 'default' })
  tenant_id!: string;

  @Text({
    about: 'What kind of stream it is: letters, digits, dots, underscores, hyphens.',
    max: 120,
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/,
    example: 'order',
  })
  stream_type!: string;

  @Text({
    about: `Which one of its kind, at most ${MAX_STREAM_ID_BYTES} bytes in UTF-8. A stream comes to be with its first event.`,
    min: 1,
    max: 512,
    example: 'o-17',
  })
  stream_id!: string;

  @Uint64({
    about:
      'The seq that the first of these events is to get: the next_seq of the append before, 0 for a stream that is to be new. Is it another one, nothing is appended (409). Left out: appended at the end, wherever that is. Past 2^53 - 1 a JSON number keeps its digits here, and the 409 repeats it as decimal text.',
    optional: true,
    example: 0,
  })
  expected_next_seq?: number | string;

  @ListReadLater({ about: 'The events in their order, all or none.', type: () => AppendEvent, min: 1, max: MAX_EVENTS })
  events!: object[];
}

export class AppendReply {
  @Integer({ about: 'Events that this call appended.', min: 0, max: MAX_EVENTS })
  appended!: number;

  @Integer({ about: 'Events that were in the stream already, known by their event_id.', min: 0, max: MAX_EVENTS })
  duplicates!: number;

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Text({ about: 'The kind of stream.' })
  stream_type!: string;

  @Text({ about: 'The stream.' })
  stream_id!: string;

  @Integer({
    about:
      'The seq of the first event that was appended, the others follow it; where all were there already, the seq of the first one sent.',
    min: 0,
  })
  first_seq!: number;

  @Integer({ about: 'The seq that the next event of the stream will get.', min: 1 })
  next_seq!: number;

  @Uuid({ about: 'The signed receipt (stream.appended) of the append that brought the event of first_seq.' })
  receipt_id!: string;
}
