import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { KeptSegment, ListedSegment, ReplicaOfNode } from './replication.types.js';

/** What there is to send, and what nodes have sent, of the open unit of work's tenant. */
@Injectable()
export class ReplicationStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** By what the daemons of this database are known to other nodes: their first signing key, which others pin. */
  async readNodeId(): Promise<string> {
    const [row] = await this.tenancy.query<{ kid: string }>(
      'select kid from signing_key order by not_before, kid limit 1',
    );
    if (!row) throw new Error('this database has no signing key');
    return row.kid;
  }

  list(after: number, limit: number): Promise<ListedSegment[]> {
    return this.tenancy.query<ListedSegment>(LIST, [this.tenancy.tenant, after, limit]);
  }

  /** @param nodeId another node; undefined: this one */
  async find(segmentSeq: number, nodeId: string | undefined): Promise<KeptSegment | undefined> {
    const [row] = await this.tenancy.query<KeptSegment>(
      nodeId === undefined ? OWN : REPLICATED,
      [this.tenancy.tenant, segmentSeq, nodeId].filter((value) => value !== undefined),
    );
    return row;
  }

  listNodes(limit: number): Promise<ReplicaOfNode[]> {
    return this.tenancy.query<ReplicaOfNode>(NODES, [this.tenancy.tenant, limit]);
  }
}

const LIST = `
  select segment_seq::float8, corpus_id, frame_count, octet_length(frames) as bytes, digest, sealed_at
  from sealed_segment where tenant_id = $1 and segment_seq > $2 order by segment_seq limit $3`;
const OWN = `
  select s.segment_seq::float8, s.frames, s.digest, b.digest as previous from sealed_segment s
  left join sealed_segment b on b.tenant_id = s.tenant_id and b.segment_seq = s.segment_seq - 1
  where s.tenant_id = $1 and s.segment_seq = $2`;
const REPLICATED = `
  select segment_seq::float8, frames, digest, previous from replicated_segment
  where tenant_id = $1 and segment_seq = $2 and node_id = $3`;
/** The last of a node is its highest; sizes are those of the stored bytes. */
const NODES = `
  select n.node_id, n.segments, n.bytes, n.last_seq, l.digest as last_digest, l.received_at as last_received_at from (
    select node_id, count(*)::float8 as segments, sum(octet_length(frames))::float8 as bytes, max(segment_seq)::float8 as last_seq
    from replicated_segment where tenant_id = $1 group by node_id order by node_id limit $2
  ) n join replicated_segment l on l.tenant_id = $1 and l.node_id = n.node_id and l.segment_seq = n.last_seq order by n.node_id`;
