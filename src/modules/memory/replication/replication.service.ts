import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { digestBytes, namedDigest } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { ReplicatedSegmentRow } from './replicated-segment.entity.js';
import type { ReplicaList, ReplicatedSegment, SegmentEnvelope, SegmentList, SegmentsQuery } from './replication.dto.js';
import { segmentReplicated } from './replication.events.js';
import { SegmentConflict, SegmentDigestMismatch, SegmentNotFound } from './replication.problems.js';
import { checkNext, readSegment } from './replication.rules.js';
import { ReplicationStore } from './replication.store.js';
import type { Kept, ReadSegment } from './replication.types.js';

const MAX_NODES = 200;

/** Sealed segments between nodes: what this one has to send, and what others sent. */
@Injectable()
export class ReplicationService {
  private readonly rows: TenantRepository<ReplicatedSegmentRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly store: ReplicationStore,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, ReplicatedSegmentRow);
  }

  /**
   * Keeps a segment in the tenant that it names; the same one again changes nothing.
   * @throws SegmentMalformed, SegmentDigestMismatch, SegmentGap, SegmentConflict; TenantMismatch
   */
  keep(caller: DaemonCaller, envelope: SegmentEnvelope): Promise<ReplicatedSegment> {
    const segment = readSegment(Buffer.from(envelope.segment, 'base64'));
    const actual = namedDigest('blake3', segment.digest);
    if (actual !== envelope.digest)
      throw new SegmentDigestMismatch(
        { digest: envelope.digest, actual_digest: actual },
        'The bytes were changed on their way, or digest is that of another segment; send it again',
      );
    return this.tenants.write(caller, segment.header.tenant_id, async () => {
      await this.tenancy.lock('replication', envelope.node_id);
      return (await this.findSame(envelope.node_id, segment)) ?? (await this.add(caller, envelope, segment));
    });
  }

  /** @throws SegmentConflict where another one of this number is kept */
  private async findSame(nodeId: string, { header, digest }: ReadSegment): Promise<ReplicatedSegment | undefined> {
    const { segment_seq } = header;
    const row = await this.rows.find({ nodeId, segmentSeq: segment_seq });
    if (row?.digest.equals(digest)) return replyOf(row, await this.store.findLast(nodeId), true);
    const kept = row ?? (await this.store.findErased(nodeId, segment_seq));
    if (!kept) return undefined;
    throw new SegmentConflict(
      { segment_seq, kept_digest: namedDigest('blake3', kept.digest) },
      row
        ? 'This node has sent another segment of this number before; that one stays'
        : 'An erasure took the segment of this number here, and it is not kept again; send the next one',
    );
  }

  private async add(
    caller: DaemonCaller,
    { node_id: nodeId, previous_digest: previous, erased_from: erasedFrom }: SegmentEnvelope,
    segment: ReadSegment,
  ): Promise<ReplicatedSegment> {
    const { header, frames, digest } = segment;
    checkNext({ segmentSeq: header.segment_seq, previous, erasedFrom }, await this.store.findLast(nodeId));
    const { receiptId } = await this.audit.record(caller, segmentReplicated(nodeId, segment));
    const row = await this.rows.insert({
      ...{ nodeId, frames, digest, receiptId, previous: previous === null ? null : digestBytes('blake3', previous) },
      ...{ segmentSeq: header.segment_seq, corpusId: header.corpus_id, frameCount: header.frame_count },
      ...{ sealedAt: new Date(header.sealed_at), receivedBy: caller.principal },
    });
    return replyOf(row, row, false);
  }

  list(caller: DaemonCaller, { after, limit }: SegmentsQuery): Promise<SegmentList> {
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.store.list(after, limit + 1);
      const segments = rows.slice(0, limit).map(({ digest, sealed_at, ...row }) => ({
        ...row,
        digest: namedDigest('blake3', digest),
        sealed_at: sealed_at.toISOString(),
      }));
      const node_id = await this.store.readNodeId();
      return { node_id, segments, count: segments.length, has_more: rows.length > limit };
    });
  }

  /** A segment as it is sent. @throws SegmentNotFound */
  read(caller: DaemonCaller, segmentSeq: number, nodeId: string | undefined): Promise<SegmentEnvelope> {
    return this.tenants.run(caller, undefined, async () => {
      const kept = await this.store.find(segmentSeq, nodeId);
      if (!kept) throw new SegmentNotFound({ segment_seq: segmentSeq }, 'GET /v1/admin/segments lists those there are');
      return {
        node_id: nodeId ?? (await this.store.readNodeId()),
        digest: namedDigest('blake3', kept.digest),
        previous_digest: kept.previous && namedDigest('blake3', kept.previous),
        ...(kept.after + 1 < segmentSeq ? { erased_from: kept.after + 1 } : {}),
        segment: kept.frames.toString('base64'),
      };
    });
  }

  listNodes(caller: DaemonCaller): Promise<ReplicaList> {
    return this.tenants.run(caller, undefined, async () => {
      const nodes = (await this.store.listNodes(MAX_NODES)).map(({ last_digest, last_received_at, ...node }) => ({
        ...node,
        last_digest: namedDigest('blake3', last_digest),
        last_received_at: last_received_at.toISOString(),
      }));
      return { nodes, count: nodes.length };
    });
  }
}

function replyOf(row: ReplicatedSegmentRow, last: Kept | undefined, duplicate: boolean): ReplicatedSegment {
  const { tenantId, nodeId, segmentSeq, digest, receiptId, receivedAt } = row;
  return {
    ...{ duplicate, tenant_id: tenantId, node_id: nodeId, segment_seq: segmentSeq },
    ...{ digest: namedDigest('blake3', digest), receipt_id: receiptId, received_at: receivedAt.toISOString() },
    next_seq: (last?.segmentSeq ?? segmentSeq) + 1,
  };
}
