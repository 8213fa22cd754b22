import { realpath } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { createTwoFilesPatch } from 'diff';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { faultOf, readTextBelow } from '../../../common/config/text-below.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { LayerSynced, SyncLayer } from './layer-sync.dto.js';
import { LayersService } from './layers.service.js';
import type { LayerPlace } from './layers.types.js';
import { pathFault } from './source-path.rules.js';

/** How long two texts are compared: those that have nothing in common would take minutes. */
const MAX_DIFF_MS = 200;

/** Writes layers from files below SVCD_LAYERS_ROOT (D65). */
@Injectable()
export class LayerSyncService {
  private readonly root: string | undefined;

  constructor(
    @Inject(SETTINGS) { daemon: { layersRoot } }: Settings,
    private readonly tenants: TenantResolver,
    private readonly layers: LayersService,
  ) {
    this.root = layersRoot;
  }

  /**
   * Without `confirm` nothing is changed.
   * @throws ProjectUnknown, PlaneUnknown, ProjectArchived, LayerChanged, LayersFull, FenceStale; ValidationFailed for a
   * file that is not read
   */
  async sync(caller: DaemonCaller, projectId: string, request: SyncLayer, fence?: number): Promise<LayerSynced> {
    const { source_path, layer, plane_id: planeId, confirm, base_version: baseVersion } = request;
    const text = await this.readFile(request);
    const place: LayerPlace = { projectId, planeId };
    const terms = { baseVersion, fence };
    const work = async (): Promise<LayerSynced> => {
      const before = await this.layers.readForWrite(place, layer, terms);
      const changed = before.content !== text;
      const stored = confirm && changed ? await this.layers.store(caller, place, layer, text, terms) : undefined;
      return {
        ...{ project_id: projectId, plane_id: planeId ?? null, layer, source_path },
        ...{ applied: stored !== undefined, changed, version: stored?.version ?? before.version },
        ...{ bytes: Buffer.byteLength(text), hash: blake3Digest(text) },
        diff: changed ? diffOf(layer, before, text) : '',
        ...{ fact_id: stored?.fact_id ?? null, receipt_id: stored?.receipt_id ?? null },
      };
    };
    return confirm ? this.tenants.write(caller, undefined, work) : this.tenants.run(caller, undefined, work);
  }

  /** @throws ValidationFailed */
  private async readFile({ source_path: path, max_bytes: maxBytes }: SyncLayer): Promise<string> {
    const refuse = (fault: string) => invalid('body.source_path', fault);
    if (this.root === undefined)
      throw refuse('cannot be read: SVCD_LAYERS_ROOT is not set; set it to a folder, or write the layer by PUT');
    const fault = pathFault(path);
    if (fault !== undefined) throw refuse(fault);
    let text: string;
    try {
      text = await readTextBelow(await realpath(this.root), path, maxBytes);
    } catch (error) {
      throw refuse(`cannot be read: ${faultOf(error)}`);
    }
    if (text.includes('\0')) throw refuse('cannot be read: has a NUL character, and is no text');
    return text;
  }
}

/** @returns null where they have too little in common to be compared in time */
function diffOf(layer: string, before: { version: number; content: string | undefined }, text: string): string | null {
  const headers = [`version ${before.version}`, 'file'] as const;
  const options = { context: 3, timeout: MAX_DIFF_MS };
  return createTwoFilesPatch(layer, layer, before.content ?? '', text, ...headers, options) ?? null;
}
