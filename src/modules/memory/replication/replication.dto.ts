import { BLAKE3_DIGEST } from '../../../evidence/digest-forms.js';
import { Base64 } from '../../../common/fields/byte-fields.js';
import { DateTime, Flag, Integer, ListOf, Text, Uuid } from '../../../common/fields/fields.js';
import { HasMore } from '../../../common/fields/page.dto.js';

/** The id of a signing key may begin with - or _ (base64url). */
const NODE = /^[\w-][\w.:-]*$/;

/** A sealed segment on its way from one node to another. */
export class SegmentEnvelope {
  @Text({ about: 'The node that sealed it.', min: 1, max: 128, pattern: NODE })
  node_id!: string;

  @Text({ about: 'BLAKE3 of the bytes of the segment.', pattern: BLAKE3_DIGEST })
  digest!: string;

  @Text({
    about: 'The digest of the segment before, also of one that is erased; null of the first.',
    nullable: true,
    pattern: BLAKE3_DIGEST,
  })
  previous_digest!: string | null;

  @Integer({
    about: 'Where the segments right before it are erased on that node: the number of the first of them.',
    optional: true,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
  })
  erased_from?: number;

  @Base64({ about: 'The segment, a CBOR sequence (docs/formats/segments.md), in base64.', min: 4 })
  segment!: string;
}

export class ReplicatedSegment {
  @Flag({ about: 'Whether it was kept before: nothing was done.' })
  duplicate!: boolean;

  @Text({ about: 'The tenant that the segment names.' })
  tenant_id!: string;

  @Text({ about: 'The node.' })
  node_id!: string;

  @Integer({ about: 'Its number on that node.' })
  segment_seq!: number;

  @Text({ about: 'BLAKE3 of its bytes.' })
  digest!: string;

  @Uuid({ about: 'The receipt that it was kept under.' })
  receipt_id!: string;

  @DateTime({ about: 'When it was kept.' })
  received_at!: string;

  @Integer({ about: 'The segment that is to be sent next.' })
  next_seq!: number;
}

export class SegmentsQuery {
  @Integer({ about: 'Segments after this one.', min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 })
  after!: number;

  @Integer({ about: 'How many at most.', min: 1, max: 200, default: 50 })
  limit!: number;
}

export class SegmentSummary {
  @Integer({ about: 'Its number.' })
  segment_seq!: number;

  @Text({ about: 'The corpus of its documents.' })
  corpus_id!: string;

  @Integer({ about: 'How many documents it has.' })
  frame_count!: number;

  @Integer({ about: 'Its size.' })
  bytes!: number;

  @Text({ about: 'BLAKE3 of its bytes.' })
  digest!: string;

  @DateTime({ about: 'When it was sealed.' })
  sealed_at!: string;
}

export class SegmentList {
  @Text({ about: 'By what this node is known to others.' })
  node_id!: string;

  @ListOf({ about: 'In the order in which they were sealed.', type: () => SegmentSummary })
  segments!: SegmentSummary[];

  @Integer({ about: 'How many are in this answer.' })
  count!: number;

  @HasMore()
  has_more!: boolean;
}

export class SegmentPath {
  @Integer({ about: 'The number of the segment.', min: 1, max: Number.MAX_SAFE_INTEGER })
  seq!: number;
}

export class SegmentQuery {
  @Text({ about: 'The node that sent it; left out: this one.', optional: true, min: 1, max: 128, pattern: NODE })
  node_id?: string;
}

export class ReplicaNode {
  @Text({ about: 'The node.' })
  node_id!: string;

  @Integer({ about: 'How many of its segments are kept.' })
  segments!: number;

  @Integer({ about: 'Their size together.' })
  bytes!: number;

  @Integer({ about: 'The last one.' })
  last_seq!: number;

  @Text({ about: 'Its digest: the previous_digest of the next.' })
  last_digest!: string;

  @DateTime({ about: 'When it came.' })
  last_received_at!: string;
}

export class ReplicaList {
  @ListOf({ about: 'The nodes that sent segments of the tenant, by name; at most 200.', type: () => ReplicaNode })
  nodes!: ReplicaNode[];

  @Integer({ about: 'How many they are.' })
  count!: number;
}
