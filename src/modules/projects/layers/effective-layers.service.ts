import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { OwnedFactsService } from '../../memory/facts/owned-facts.service.js';
import type { OwnedFact } from '../../memory/facts/owned-facts.types.js';
import { ProjectsService } from '../projects/projects.service.js';
import type { EffectiveLayers, EffectiveQuery } from './effective.dto.js';
import { inForce, mergeTexts } from './effective.rules.js';
import { entityOf, LayersService } from './layers.service.js';
import { LAYER_NAME, MAX_LAYERS, MAX_LAYERS_BYTES, type LayerOrigin, type LayerText } from './layers.types.js';
import { partOf } from './layers.views.js';

/** Of which project, plane and session the layers are wanted, and of which name. */
export interface WantedLayers {
  projectId?: string | undefined;
  planeId?: string | undefined;
  sessionId?: string | undefined;
  layer?: string | undefined;
}

/** Which layers hold where: those of the workspace, a project, a plane and a session over each other (D65). */
@Injectable()
export class EffectiveLayersService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly projects: ProjectsService,
    private readonly layers: LayersService,
    private readonly facts: OwnedFactsService,
  ) {}

  /** @throws ProjectUnknown, PlaneUnknown; ValidationFailed for a session with too much of them */
  read(caller: DaemonCaller, projectId: string, query: EffectiveQuery): Promise<EffectiveLayers> {
    const { plane_id: planeId, session_id: sessionId, layer } = query;
    return this.tenants.run(caller, undefined, async () => {
      const { parts, overridden } = inForce(await this.gather(caller, { projectId, planeId, sessionId, layer }));
      const text = mergeTexts(parts.map(({ fact }) => fact.value));
      return {
        ...{ project_id: projectId, plane_id: planeId ?? null, session_id: sessionId ?? null },
        ...{ text, hash: blake3Digest(text), parts: parts.map(partOf) },
        overridden: overridden.map((one) => ({ ...partOf(one.layer), overridden_by: one.by.origin })),
        schema: 'svc.layers.effective/1',
      };
    });
  }

  /**
   * In the open unit of work: the layers that hold. Without a project those of the workspace.
   * @throws ProjectUnknown, PlaneUnknown; ValidationFailed for a session with too much of them
   */
  async find(caller: DaemonCaller, wanted: WantedLayers): Promise<LayerText[]> {
    return inForce(await this.gather(caller, wanted)).parts;
  }

  private async gather(caller: DaemonCaller, wanted: WantedLayers): Promise<LayerText[]> {
    const { projectId, planeId, sessionId, layer } = wanted;
    if (projectId !== undefined) await this.layers.findPlace({ projectId, planeId });
    const workspace = (await this.projects.findDefault())?.projectId;
    const given: LayerText[] = [];
    const add = (origin: LayerOrigin, entity: string, facts: readonly OwnedFact[]) =>
      given.push(...facts.map((fact) => textOf(origin, entity, fact)));
    const places = [
      ...(workspace === undefined || workspace === projectId ? [] : [['workspace', { projectId: workspace }] as const]),
      ...(projectId === undefined ? [] : [['project', { projectId }] as const]),
      ...(projectId === undefined || planeId === undefined ? [] : [['plane', { projectId, planeId }] as const]),
    ];
    for (const [origin, place] of places) add(origin, entityOf(place), await this.layers.readAll(place, layer));
    if (sessionId !== undefined) add('session', ...(await this.ofSession(caller, sessionId, layer)));
    return given;
  }

  /** The caller's own facts: nobody writes the layers of another's session. */
  private async ofSession(
    caller: DaemonCaller,
    sessionId: string,
    layer: string | undefined,
  ): Promise<[string, OwnedFact[]]> {
    const entity = `layer:session/${sessionId}`;
    const found = await this.facts.listOwn(caller, entity, { count: MAX_LAYERS, bytes: MAX_LAYERS_BYTES });
    if (!found)
      throw invalid(
        'session_id',
        `has more than ${MAX_LAYERS} facts of the entity ${entity}, or of more than ${MAX_LAYERS_BYTES} bytes; delete some of them`,
      );
    return [entity, found.filter(({ key }) => LAYER_NAME.test(key) && (layer === undefined || key === layer))];
  }
}

const textOf = (origin: LayerOrigin, entity: string, fact: OwnedFact): LayerText => ({
  ...{ layer: fact.key, origin, entity, fact, hash: blake3Digest(fact.value) },
});
