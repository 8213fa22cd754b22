import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  ReplicaList,
  ReplicatedSegment,
  SegmentEnvelope,
  SegmentList,
  SegmentPath,
  SegmentQuery,
  SegmentsQuery,
} from './replication.dto.js';
import {
  SegmentConflict,
  SegmentDigestMismatch,
  SegmentGap,
  SegmentMalformed,
  SegmentNotFound,
} from './replication.problems.js';
import { ReplicationService } from './replication.service.js';

const tag = 'replication';

@Controller()
export class ReplicationController {
  constructor(private readonly replication: ReplicationService) {}

  @Route('POST /v1/internal/replication/segments', {
    tag,
    summary: 'Take a sealed segment of another node',
    description:
      'The body is what GET /v1/admin/segments/{seq} of that node answers. Segments of a node come in their order, each with the digest of the one before; the same one again is answered with duplicate true and changes nothing. It is kept in the tenant that its header names, with a receipt (segment.replicated). At most 16 MiB a request.',
    access: anyOf('replication:write'),
    reply: ok(ReplicatedSegment),
    problems: [SegmentMalformed, SegmentDigestMismatch, SegmentGap, SegmentConflict],
    tried: {
      from: {
        'body/node_id': 'readSegment#/node_id',
        'body/digest': 'readSegment#/digest',
        'body/previous_digest': 'readSegment#/previous_digest',
        'body/segment': 'readSegment#/segment',
      },
    },
  })
  replicateSegment(@Caller() caller: DaemonCaller, @Body() body: SegmentEnvelope): Promise<ReplicatedSegment> {
    return this.replication.keep(caller, body);
  }

  @Route('GET /v1/admin/segments', {
    tag,
    summary: 'List the sealed segments of this node',
    extension: true,
    access: anyOf('admin:read'),
    reply: ok(SegmentList),
  })
  listSegments(@Caller() caller: DaemonCaller, @Query() query: SegmentsQuery): Promise<SegmentList> {
    return this.replication.list(caller, query);
  }

  @Route('GET /v1/admin/segments/:seq', {
    tag,
    summary: 'Read a sealed segment as it is sent',
    description: 'Of this node, or with node_id of another one that sent it.',
    extension: true,
    access: anyOf('admin:read'),
    reply: ok(SegmentEnvelope),
    problems: [SegmentNotFound],
  })
  readSegment(
    @Caller() caller: DaemonCaller,
    @Param() { seq }: SegmentPath,
    @Query() { node_id }: SegmentQuery,
  ): Promise<SegmentEnvelope> {
    return this.replication.read(caller, seq, node_id);
  }

  @Route('GET /v1/admin/replicas', {
    tag,
    summary: 'List the nodes that sent segments',
    extension: true,
    access: anyOf('admin:read'),
    reply: ok(ReplicaList),
  })
  listReplicas(@Caller() caller: DaemonCaller): Promise<ReplicaList> {
    return this.replication.listNodes(caller);
  }
}
