import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, encodeCursor } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { FenceCheckService } from '../../coordination/leases/fence-check.service.js';
import { OwnedFactsService } from '../../memory/facts/owned-facts.service.js';
import type { OwnedFact, OwnedHead, OwnedName } from '../../memory/facts/owned-facts.types.js';
import { PlanesService } from '../projects/planes.service.js';
import { ProjectsService } from '../projects/projects.service.js';
import { layerEvent } from './layers.events.js';
import type { LayerCleared, LayerList, LayerStored, LayerVersions, PutLayer } from './layers.dto.js';
import { LayerChanged, LayersFull } from './layers.problems.js';
import { MAX_LAYERS, MAX_LAYERS_BYTES, type LayerPlace } from './layers.types.js';
import { layerOf, versionOf } from './layers.views.js';

/** Whose facts layers are, whoever writes them: no principal is called so. */
const OWNER = 'layers';

/** A layer is written under a condition, and by who holds what it is about. */
export interface WriteTerms {
  baseVersion?: number | undefined;
  fence?: number | undefined;
}

/** The layers of projects and planes: texts in versions, each a fact (D65). */
@Injectable()
export class LayersService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly projects: ProjectsService,
    private readonly planes: PlanesService,
    private readonly facts: OwnedFactsService,
    private readonly fences: FenceCheckService,
    private readonly outbox: Outbox,
  ) {}

  /** @throws ProjectUnknown, PlaneUnknown */
  list(caller: DaemonCaller, place: LayerPlace, { limit, cursor }: PageQuery): Promise<LayerList> {
    const [after] = decodeCursor(cursor, ['text']) ?? [''];
    return this.tenants.run(caller, undefined, async () => {
      await this.findPlace(place);
      const rows = await this.facts.list(OWNER, entityOf(place), after, limit + 1);
      const page = whole(rows, limit);
      const hasMore = page.length < rows.length;
      const next_cursor = hasMore ? encodeCursor([page.at(-1)!.key]) : null;
      const layers = page.map(layerOf);
      return { project_id: place.projectId, layers, count: layers.length, has_more: hasMore, next_cursor };
    });
  }

  /** @throws ProjectUnknown, PlaneUnknown, ProjectArchived, LayerChanged, LayersFull, FenceStale */
  put(
    caller: DaemonCaller,
    place: LayerPlace,
    layer: string,
    { content, base_version: baseVersion }: PutLayer,
    fence?: number,
  ): Promise<LayerStored> {
    return this.tenants.write(caller, undefined, () =>
      this.store(caller, place, layer, content, { baseVersion, fence }),
    );
  }

  /** In the open unit of work. @throws as put does */
  async store(
    caller: DaemonCaller,
    place: LayerPlace,
    layer: string,
    content: string,
    terms: WriteTerms,
  ): Promise<LayerStored> {
    const name = await this.open(place, layer, terms);
    const bytes = Buffer.byteLength(content);
    await this.checkRoom(name, bytes);
    const stored = await this.facts.store(caller, name, content, 'body.content');
    const { version, fact_id, receipt_id, stored_at } = stored;
    const write = { layer, version, factId: fact_id, receiptId: receipt_id };
    this.outbox.emit(layerEvent('layer.stored', place, write, caller.principal));
    return {
      ...{ project_id: place.projectId, layer, version, fact_id, private: true, bytes },
      ...{ hash: blake3Digest(content), stored_at: stored_at.toISOString(), receipt_id },
    };
  }

  /**
   * The deletion is a version: what was there stays in the history.
   * @throws ProjectUnknown, PlaneUnknown, ProjectArchived, LayerChanged, FenceStale, LegalHold
   */
  clear(caller: DaemonCaller, place: LayerPlace, layer: string, terms: WriteTerms): Promise<LayerCleared> {
    return this.tenants.write(caller, undefined, async () => {
      const name = await this.open(place, layer, terms);
      const head = await this.facts.lock(name);
      const answer = { project_id: place.projectId, layer };
      if (!head?.current) return { ...answer, cleared: false, version: head?.version ?? 0 };
      await this.facts.retire(caller, head);
      const [deletion] = await this.facts.listVersions(name, head.version + 2, 1);
      const { version, fact_id: factId, receipt_id: receiptId } = deletion!;
      this.outbox.emit(layerEvent('layer.cleared', place, { layer, version, factId, receiptId }, caller.principal));
      return { ...answer, cleared: true, version };
    });
  }

  /** Newest first, deletions too. @throws ProjectUnknown, PlaneUnknown */
  listVersions(
    caller: DaemonCaller,
    place: LayerPlace,
    layer: string,
    { limit, cursor }: PageQuery,
  ): Promise<LayerVersions> {
    const [before] = decodeCursor(cursor, ['integer']) ?? [MAX_VERSION];
    return this.tenants.run(caller, undefined, async () => {
      await this.findPlace(place);
      const rows = await this.facts.listVersions(nameOf(place, layer), Math.min(before, MAX_VERSION), limit + 1);
      const page = whole(rows, limit);
      const values = await this.facts.readValues(page);
      const versions = page.map((row) => versionOf(row, row.tombstone ? null : (values.get(row.seq) ?? null)));
      const hasMore = page.length < rows.length;
      return {
        ...{ project_id: place.projectId, plane_id: place.planeId ?? null, layer, versions, count: versions.length },
        ...{ has_more: hasMore, next_cursor: hasMore ? encodeCursor([page.at(-1)!.version]) : null },
      };
    });
  }

  /**
   * In the open unit of work: the layer as a write under these terms would find it.
   * @throws ProjectUnknown, PlaneUnknown, ProjectArchived, LayerChanged, FenceStale
   */
  async readForWrite(
    place: LayerPlace,
    layer: string,
    terms: WriteTerms,
  ): Promise<{ version: number; content: string | undefined }> {
    const name = await this.open(place, layer, terms);
    const head = await this.facts.lock(name);
    const current = head?.current ? await this.facts.find(name) : undefined;
    return { version: head?.version ?? 0, content: current?.value };
  }

  /** In the open unit of work: the current layers of a place, of one name or of all. */
  async readAll(place: LayerPlace, layer?: string): Promise<OwnedFact[]> {
    if (layer === undefined) return this.facts.list(OWNER, entityOf(place), '', MAX_LAYERS);
    const found = await this.facts.find(nameOf(place, layer));
    return found ? [found] : [];
  }

  /** In the open unit of work. @throws ProjectUnknown, PlaneUnknown */
  async findPlace({ projectId, planeId }: LayerPlace): Promise<void> {
    await this.projects.find(projectId);
    if (planeId !== undefined) await this.planes.find(projectId, planeId);
  }

  /**
   * The place stays as it is until the unit of work ends, and others that write to it wait: what its layers are
   * together is the same when it is counted and when it is committed.
   */
  private async open(place: LayerPlace, layer: string, { baseVersion, fence }: WriteTerms): Promise<OwnedName> {
    if (place.planeId === undefined) await this.projects.findOpen(place.projectId);
    else await this.planes.findOpen(place.projectId, place.planeId);
    await this.fences.check(fence);
    const name = nameOf(place, layer);
    checkVersion(await this.facts.lock(name), baseVersion);
    return name;
  }

  private async checkRoom(name: OwnedName, bytes: number): Promise<void> {
    const others = await this.facts.measureOthers(name);
    if (others.count < MAX_LAYERS && others.bytes + bytes <= MAX_LAYERS_BYTES) return;
    throw new LayersFull(
      { limit: MAX_LAYERS, limit_bytes: MAX_LAYERS_BYTES },
      `They are at most ${MAX_LAYERS} of ${MAX_LAYERS_BYTES} bytes together; delete one, or write a shorter text`,
    );
  }
}

const MAX_VERSION = 2 ** 31 - 1;

/** The entity of the facts. */
export const entityOf = ({ projectId, planeId }: LayerPlace): string =>
  planeId === undefined ? `layer:${projectId}` : `layer:${projectId}/${planeId}`;

const nameOf = (place: LayerPlace, key: string): OwnedName => ({ owner: OWNER, entity: entityOf(place), key });

/** @throws LayerChanged */
function checkVersion(head: OwnedHead | undefined, base: number | undefined): void {
  const version = head?.version ?? 0;
  if (base === undefined || base === version) return;
  throw new LayerChanged({ version }, `It is at version ${version} now, not ${base}; read it and decide again`);
}

/** Those of a page whose texts are together within the bound; one at least. */
function whole<Row extends { bytes: number }>(rows: readonly Row[], limit: number): Row[] {
  let bytes = 0;
  const end = rows.findIndex((row) => (bytes += row.bytes) > MAX_LAYERS_BYTES);
  return rows.slice(0, end < 1 ? limit : Math.min(end, limit));
}
