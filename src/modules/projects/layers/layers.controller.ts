import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Fence } from '../../../common/contract/fence.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import { ProjectArchived, ProjectUnknown, PlaneUnknown } from '../projects/projects.problems.js';
import { EffectiveLayers, EffectiveQuery } from './effective.dto.js';
import { EffectiveLayersService } from './effective-layers.service.js';
import {
  DeleteLayerQuery,
  LayerCleared,
  LayerList,
  LayerStored,
  LayerVersions,
  ProjectLayerPath,
  ProjectLayersPath,
  PutLayer,
} from './layers.dto.js';
import { LayerChanged, LayersFull } from './layers.problems.js';
import { LayersService } from './layers.service.js';

const tag = 'layers';
const reads = anyOf('admin:read');
const writes = anyOf('facts:write');

@Controller()
export class LayersController {
  constructor(
    private readonly layers: LayersService,
    private readonly effective: EffectiveLayersService,
  ) {}

  @Route('GET /v1/projects/:id/layers', {
    ...{ tag, summary: 'List the layers of a project', access: reads, reply: ok(LayerList) },
    description:
      'Texts for whoever works in the project, each under a name. Each is a fact of the entity `layer:<id>`.',
    problems: [ProjectUnknown],
  })
  listProjectLayers(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ProjectLayersPath,
    @Query() query: PageQuery,
  ): Promise<LayerList> {
    return this.layers.list(caller, { projectId: id }, query);
  }

  @Route('GET /v1/projects/:id/layers/effective', {
    ...{ tag, extension: true, summary: 'Read the layers that hold', access: reads, reply: ok(EffectiveLayers) },
    description:
      'One text of the layers of the workspace, the project, the plane and the session: of each name the narrowest holds. Each part says where it comes from, with version and hash.',
    problems: [ProjectUnknown, PlaneUnknown],
  })
  readEffectiveLayers(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ProjectLayersPath,
    @Query() query: EffectiveQuery,
  ): Promise<EffectiveLayers> {
    return this.effective.read(caller, id, query);
  }

  @Route('PUT /v1/projects/:id/layers/:layer', {
    ...{ tag, summary: 'Write a layer of a project', access: writes, reply: ok(LayerStored), fenced: true },
    description: 'Each write is a version with a receipt, the same text too.',
    problems: [ProjectUnknown, ProjectArchived, LayerChanged, LayersFull],
  })
  putProjectLayer(
    @Caller() caller: DaemonCaller,
    @Param() { id, layer }: ProjectLayerPath,
    @Body() body: PutLayer,
    @Fence() fence?: number,
  ): Promise<LayerStored> {
    return this.layers.put(caller, { projectId: id }, layer, body, fence);
  }

  @Route('DELETE /v1/projects/:id/layers/:layer', {
    ...{ tag, summary: 'Clear a layer of a project', access: writes, reply: ok(LayerCleared), fenced: true },
    description:
      'The deletion is a version; those before stay. One that is not there is answered with `cleared: false`.',
    problems: [ProjectUnknown, ProjectArchived, LayerChanged, LegalHold],
  })
  clearProjectLayer(
    @Caller() caller: DaemonCaller,
    @Param() { id, layer }: ProjectLayerPath,
    @Query() { base_version: baseVersion }: DeleteLayerQuery,
    @Fence() fence?: number,
  ): Promise<LayerCleared> {
    return this.layers.clear(caller, { projectId: id }, layer, { baseVersion, fence });
  }

  @Route('GET /v1/projects/:id/layers/:layer/versions', {
    ...{ tag, extension: true, summary: 'List the versions of a layer', access: reads, reply: ok(LayerVersions) },
    description: 'Deletions too, newest first. To undo a change, write the text of an earlier version again.',
    problems: [ProjectUnknown],
  })
  listProjectLayerVersions(
    @Caller() caller: DaemonCaller,
    @Param() { id, layer }: ProjectLayerPath,
    @Query() query: PageQuery,
  ): Promise<LayerVersions> {
    return this.layers.listVersions(caller, { projectId: id }, layer, query);
  }
}
