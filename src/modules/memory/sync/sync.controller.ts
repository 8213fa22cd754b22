import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { MANY_JSON_MEMBERS, NESTED_JSON_DEPTH } from '../../../common/http/json-body.js';
import { InternalError } from '../../../common/problem/problem.filter.js';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import { Reach } from './reach.decorator.js';
import {
  ConflictResolved,
  Offboarded,
  OffboardRequest,
  ResolveConflict,
  SyncConflictList,
} from './sync-answers.dto.js';
import {
  CollectionDiff,
  CollectionPage,
  CollectionQuery,
  DiffRequest,
  SyncCollectionPath,
  SyncConflictPath,
  SyncTenantPath,
} from './sync.dto.js';
import { ManifestQuery, SyncManifest } from './sync-manifest.dto.js';
import { PromotionConfirmed, PromotionPreview, PromotionRequest } from './sync-promotions.dto.js';
import { MembershipEpochOld, SyncConflictUnknown, SyncOutOfReach, SyncStateMoved } from './sync.problems.js';
import { SyncService } from './sync.service.js';
import type { SyncReach } from './sync.types.js';

const tag = 'sync';
const reads = { tag, access: anyOf('facts:read'), tenantBound: true } as const;
const writes = { tag, access: anyOf('facts:write'), tenantBound: true } as const;
/** With SVCD_SYNC_MUTUAL_AUTH=1 peers call these; conflicts are for those who work here. */
const peerReads = { ...reads, peers: 'reads' } as const;
const peerWrites = { ...writes, peers: 'writes' } as const;
/** Records with their payloads. */
const masses = { memberLimit: MANY_JSON_MEMBERS, depthLimit: NESTED_JSON_DEPTH } as const;

@Controller()
export class SyncController {
  constructor(private readonly sync: SyncService) {}

  @Route('GET /v1/sync/tenants/:tenantId/manifest', {
    ...peerReads,
    summary: 'Read the signed manifest of a tenant',
    description:
      'One Merkle root a collection, so that equal manifests end a sync, signed by the key of exports, with the newest checkpoint of the log. The first request makes the tenant one that syncs. What the query says and is otherwise here stands in `differs`. docs/formats/sync.md.',
    reply: ok(SyncManifest),
    problems: [SyncOutOfReach],
  })
  readSyncManifest(
    @Caller() caller: DaemonCaller,
    @Param() { tenantId }: SyncTenantPath,
    @Query() query: ManifestQuery,
    @Reach() reach: SyncReach,
  ): Promise<SyncManifest> {
    return this.sync.readManifest(caller, tenantId, reach, query);
  }

  @Route('GET /v1/sync/tenants/:tenantId/collections/:collection', {
    ...peerReads,
    summary: 'Read a page of a collection',
    description:
      'Versions in the order of their keys, resumable by cursor, the root over all so far with each page; or with `since` what changed after a position. An answer holds about 8 MiB of content, whatever the limit.',
    reply: ok(CollectionPage),
    problems: [SyncOutOfReach],
  })
  readSyncPage(
    @Caller() caller: DaemonCaller,
    @Param() { tenantId, collection }: SyncCollectionPath,
    @Query() query: CollectionQuery,
    @Reach() reach: SyncReach,
  ): Promise<CollectionPage> {
    return this.sync.readPage(caller, tenantId, reach, collection, query);
  }

  @Route('POST /v1/sync/tenants/:tenantId/collections/:collection/diff', {
    ...peerReads,
    extension: true,
    summary: 'Compare records of a collection',
    description: 'Ids and digests of versions in; the versions that the caller lacks out, and those that are not here.',
    reply: ok(CollectionDiff),
    problems: [SyncOutOfReach],
    memberLimit: MANY_JSON_MEMBERS,
  })
  diffSyncCollection(
    @Caller() caller: DaemonCaller,
    @Param() { tenantId, collection }: SyncCollectionPath,
    @Body() body: DiffRequest,
    @Reach() reach: SyncReach,
  ): Promise<CollectionDiff> {
    return this.sync.diff(caller, tenantId, reach, collection, body);
  }

  @Route('POST /v1/sync/tenants/:tenantId/promotions/preview', {
    ...peerReads,
    summary: 'Preview what records would do',
    description:
      'Each record is verified by its digests, and gets a verdict; nothing is stored. `confirm_hash` is over the verdicts and the versions here that they rest on.',
    reply: ok(PromotionPreview),
    problems: [SyncOutOfReach],
    ...masses,
  })
  previewPromotion(
    @Caller() caller: DaemonCaller,
    @Param() { tenantId }: SyncTenantPath,
    @Body() body: PromotionRequest,
    @Reach() reach: SyncReach,
  ): Promise<PromotionPreview> {
    return this.sync.preview(caller, tenantId, reach, body);
  }

  @Route('POST /v1/sync/tenants/:tenantId/promotions/confirm', {
    ...peerWrites,
    summary: 'Take in records as previewed',
    description:
      'All or nothing, in one transaction with its receipt (sync.applied). 412 where what would be done is not what was previewed. What is here already changes nothing, so that a request can be sent again.',
    reply: ok(PromotionConfirmed),
    problems: [SyncOutOfReach, SyncStateMoved],
    ...masses,
  })
  confirmPromotion(
    @Caller() caller: DaemonCaller,
    @Param() { tenantId }: SyncTenantPath,
    @Body() body: PromotionRequest,
    @Reach() reach: SyncReach,
  ): Promise<PromotionConfirmed> {
    return this.sync.confirm(caller, tenantId, reach, body);
  }

  @Route('POST /v1/sync/tenants/:tenantId/offboard', {
    ...peerWrites,
    summary: 'Leave all peers of a tenant',
    description:
      'Ends peers and their delegations, removes up to 2,000 copies that came from peers alone (`remaining_count`: call again), and lists those that legal holds kept. The membership epoch rises; an older one is 409.',
    reply: ok(Offboarded),
    problems: [SyncOutOfReach, MembershipEpochOld, LegalHold, InternalError],
  })
  offboardTenant(
    @Caller() caller: DaemonCaller,
    @Param() { tenantId }: SyncTenantPath,
    @Body() body: OffboardRequest,
    @Reach() reach: SyncReach,
  ): Promise<Offboarded> {
    return this.sync.offboard(caller, tenantId, reach, body);
  }

  @Route('GET /v1/sync/tenants/:tenantId/conflicts', {
    ...reads,
    extension: true,
    summary: 'List records with several versions',
    description:
      'Versions of different origins that do not know of each other, all with their content; reads show one.',
    reply: ok(SyncConflictList),
    problems: [SyncOutOfReach],
  })
  listSyncConflicts(
    @Caller() caller: DaemonCaller,
    @Param() { tenantId }: SyncTenantPath,
    @Query() query: PageQuery,
    @Reach() reach: SyncReach,
  ): Promise<SyncConflictList> {
    return this.sync.listConflicts(caller, tenantId, reach, query);
  }

  @Route('POST /v1/sync/tenants/:tenantId/conflicts/:conflictId', {
    ...writes,
    extension: true,
    summary: 'Choose one of several versions',
    description:
      'The version becomes a write of this server that goes beyond all others, here and, with the next sync, everywhere.',
    reply: ok(ConflictResolved),
    problems: [SyncOutOfReach, SyncConflictUnknown, LegalHold],
  })
  resolveSyncConflict(
    @Caller() caller: DaemonCaller,
    @Param() { tenantId, conflictId }: SyncConflictPath,
    @Body() body: ResolveConflict,
    @Reach() reach: SyncReach,
  ): Promise<ConflictResolved> {
    return this.sync.resolve(caller, tenantId, reach, { key: conflictId, digest: body.digest });
  }
}
