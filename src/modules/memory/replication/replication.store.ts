import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Kept, KeptSegment, ListedSegment, ReplicaOfNode } from './replication.types.js';

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

  /** Where the segments of another node end that are kept, or were until an erasure took them. */
  async findLast(nodeId: string): Promise<Kept | undefined> {
    const [row] = await this.tenancy.query<Kept>(LAST, [this.tenancy.tenant, nodeId]);
    return row;
  }

  /** Of a segment of another node that an erasure took. */
  async findErased(nodeId: string, segmentSeq: number): Promise<Kept | undefined> {
    const [row] = await this.tenancy.query<Kept>(ERASED, [this.tenancy.tenant, nodeId, segmentSeq]);
    return row;
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
  select s.segment_seq::float8, s.frames, s.digest, coalesce(b.digest, e.digest) as previous,
    coalesce((select max(p.segment_seq) from sealed_segment p where p.tenant_id = $1 and p.segment_seq < $2), 0)::float8 as after
  from sealed_segment s
  left join sealed_segment b on b.tenant_id = s.tenant_id and b.segment_seq = s.segment_seq - 1
  left join erased_segment e on e.tenant_id = s.tenant_id and e.node_id = '' and e.segment_seq = s.segment_seq - 1
  where s.tenant_id = $1 and s.segment_seq = $2`;
const REPLICATED = `
  select segment_seq::float8, frames, digest, previous, coalesce((select max(p.segment_seq) from replicated_segment p
    where p.tenant_id = $1 and p.node_id = $3 and p.segment_seq < $2), 0)::float8 as after
  from replicated_segment where tenant_id = $1 and segment_seq = $2 and node_id = $3`;
const LAST = `
  select segment_seq::float8 as "segmentSeq", digest from (
    (select segment_seq, digest from replicated_segment where tenant_id = $1 and node_id = $2 order by segment_seq desc limit 1)
    union all
    (select segment_seq, digest from erased_segment where tenant_id = $1 and node_id = $2 order by segment_seq desc limit 1)
  ) last order by last.segment_seq desc limit 1`;
const ERASED = `
  select segment_seq::float8 as "segmentSeq", digest from erased_segment where tenant_id = $1 and node_id = $2 and segment_seq = $3`;
/** The last of a node is its highest; sizes are those of the stored bytes. */
const NODES = `
  select n.node_id, n.segments, n.bytes, n.last_seq, l.digest as last_digest, l.received_at as last_received_at from (
    select node_id, count(*)::float8 as segments, sum(octet_length(frames))::float8 as bytes, max(segment_seq)::float8 as last_seq
    from replicated_segment where tenant_id = $1 group by node_id order by node_id limit $2
  ) n join replicated_segment l on l.tenant_id = $1 and l.node_id = n.node_id and l.segment_seq = n.last_seq order by n.node_id`;
