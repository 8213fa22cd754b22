import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Fence } from '../../../common/contract/fence.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import { PlaneUnknown, ProjectArchived, ProjectUnknown } from '../projects/projects.problems.js';
import { LayerSyncService } from './layer-sync.service.js';
import { LayerSynced, SyncLayer } from './layer-sync.dto.js';
import {
  DeleteLayerQuery,
  LayerVersions,
  PlaneLayerCleared,
  PlaneLayerList,
  PlaneLayerPath,
  PlaneLayersPath,
  PlaneLayerStored,
  ProjectLayersPath,
  PutLayer,
} from './layers.dto.js';
import { LayerChanged, LayersFull } from './layers.problems.js';
import { LayersService } from './layers.service.js';

const tag = 'layers';
const reads = anyOf('admin:read');
const writes = anyOf('facts:write');

@Controller()
export class PlaneLayersController {
  constructor(
    private readonly layers: LayersService,
    private readonly sync: LayerSyncService,
  ) {}

  @Route('POST /v1/projects/:id/planes/sync-layers', {
    ...{ tag, summary: 'Write a layer from a file', access: writes, reply: ok(LayerSynced), fenced: true },
    description:
      'From a file below SVCD_LAYERS_ROOT on the machine of the daemon. Without `confirm` it answers what would change, and changes nothing.',
    problems: [ProjectUnknown, PlaneUnknown, ProjectArchived, LayerChanged, LayersFull],
  })
  syncLayer(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ProjectLayersPath,
    @Body() body: SyncLayer,
    @Fence() fence?: number,
  ): Promise<LayerSynced> {
    return this.sync.sync(caller, id, body, fence);
  }

  @Route('GET /v1/projects/:id/planes/:planeId/layers', {
    ...{ tag, summary: 'List the layers of a plane', access: reads, reply: ok(PlaneLayerList) },
    description: 'Each is a fact of the entity `layer:<id>/<planeId>`.',
    problems: [ProjectUnknown, PlaneUnknown],
  })
  async listPlaneLayers(
    @Caller() caller: DaemonCaller,
    @Param() { id, planeId }: PlaneLayersPath,
    @Query() query: PageQuery,
  ): Promise<PlaneLayerList> {
    return { plane_id: planeId, ...(await this.layers.list(caller, { projectId: id, planeId }, query)) };
  }

  @Route('PUT /v1/projects/:id/planes/:planeId/layers/:layer', {
    ...{ tag, summary: 'Write a layer of a plane', access: writes, reply: ok(PlaneLayerStored), fenced: true },
    description: 'Each write is a version with a receipt, the same text too.',
    problems: [ProjectUnknown, ProjectArchived, PlaneUnknown, LayerChanged, LayersFull],
  })
  async putPlaneLayer(
    @Caller() caller: DaemonCaller,
    @Param() { id, planeId, layer }: PlaneLayerPath,
    @Body() body: PutLayer,
    @Fence() fence?: number,
  ): Promise<PlaneLayerStored> {
    return { plane_id: planeId, ...(await this.layers.put(caller, { projectId: id, planeId }, layer, body, fence)) };
  }

  @Route('DELETE /v1/projects/:id/planes/:planeId/layers/:layer', {
    ...{ tag, summary: 'Clear a layer of a plane', access: writes, reply: ok(PlaneLayerCleared), fenced: true },
    description:
      'The deletion is a version; those before stay. One that is not there is answered with `cleared: false`.',
    problems: [ProjectUnknown, ProjectArchived, PlaneUnknown, LayerChanged, LegalHold],
  })
  async clearPlaneLayer(
    @Caller() caller: DaemonCaller,
    @Param() { id, planeId, layer }: PlaneLayerPath,
    @Query() { base_version: baseVersion }: DeleteLayerQuery,
    @Fence() fence?: number,
  ): Promise<PlaneLayerCleared> {
    const place = { projectId: id, planeId };
    return { plane_id: planeId, ...(await this.layers.clear(caller, place, layer, { baseVersion, fence })) };
  }

  @Route('GET /v1/projects/:id/planes/:planeId/layers/:layer/versions', {
    ...{ tag, extension: true, summary: 'List the versions of a plane layer', access: reads, reply: ok(LayerVersions) },
    description: 'Deletions too, newest first. To undo a change, write the text of an earlier version again.',
    problems: [ProjectUnknown, PlaneUnknown],
  })
  listPlaneLayerVersions(
    @Caller() caller: DaemonCaller,
    @Param() { id, planeId, layer }: PlaneLayerPath,
    @Query() query: PageQuery,
  ): Promise<LayerVersions> {
    return this.layers.listVersions(caller, { projectId: id, planeId }, layer, query);
  }
}
