import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import { namedDigest } from '../../../evidence/digest.js';
import type { ReadSegment } from './replication.types.js';

/** Event and receipt of a segment of another node that was kept. */
export const segmentReplicated = (nodeId: string, { header, digest }: ReadSegment): AuditEntry => ({
  kind: 'segment.replicated',
  subject: `segment:${nodeId}/${header.segment_seq}`,
  facts: {
    nodeId,
    segmentSeq: header.segment_seq,
    segmentDigest: namedDigest('blake3', digest),
    corpusId: header.corpus_id,
    frameCount: header.frame_count,
  },
  stream: 'replication',
});
