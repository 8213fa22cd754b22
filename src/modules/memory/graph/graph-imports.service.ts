import { Injectable } from '@nestjs/common';
import { Text } from '../../../common/fields/fields.js';
import { readAll } from '../../../common/fields/read-each.js';
import { StoreEdge } from './edges.dto.js';
import { checkIdentity } from './edges.service.js';
import { StoreEntity } from './entities.dto.js';
import { type EdgeIdentity, MAX_ID, MAX_KIND } from './graph.types.js';
import { KindRules } from './kind-rules.service.js';
import { type GraphMatch, GraphImportsStore } from './graph-imports.store.js';

/** An entity with the names that stand in the address of PUT /v1/entities/{kind}/{id}. */
export class ImportedEntity extends StoreEntity {
  @Text({ about: 'Its kind.', min: 1, max: MAX_KIND })
  kind!: string;

  @Text({ about: 'Its id among those of its kind.', min: 1, max: MAX_ID })
  id!: string;
}

/** An edge as PUT /v1/edges takes it. */
export class ImportedEdge extends StoreEdge {}

/** Entities and edges supplied by another module, stored in its unit of work: first read, then `store`. */
@Injectable()
export class GraphImportsService {
  constructor(
    private readonly store: GraphImportsStore,
    private readonly rules: KindRules,
  ) {}

  /** @param where the path of the list @throws ValidationFailed */
  async readEntities(entities: readonly unknown[], where: string): Promise<ImportedEntity[]> {
    const read = await readAll(ImportedEntity, entities, where);
    for (const [index, entity] of read.entries()) {
      const { kind, id, payload } = entity;
      const at = `${where}[${index}]`;
      entity.payload = await this.rules.prepare(kind, id, payload, `${at}.payload`, `${at}.id`);
    }
    return read;
  }

  /** Edges as PUT /v1/edges takes them. @param where the path of the list @throws ValidationFailed */
  async readEdges(edges: readonly unknown[], where: string): Promise<StoreEdge[]> {
    const read = await readAll(StoreEdge, edges, where);
    for (const [index, edge] of read.entries()) checkIdentity(edge, `${where}[${index}]`);
    return read;
  }

  /** In the open unit of work. @returns how many were stored */
  storeEntities(entities: readonly ImportedEntity[], actor: string): Promise<number> {
    return this.store.storeEntities(entities, actor);
  }

  /** In the open unit of work. @returns how many were stored */
  storeEdges(edges: readonly StoreEdge[], actor: string): Promise<number> {
    return this.store.storeEdges(edges, actor);
  }

  /** In the open unit of work: deletes those that are there. */
  async retireEntities(entities: readonly { kind: string; id: string }[], actor: string): Promise<void> {
    await this.store.retireEntities(entities, actor);
  }

  /** The same for edges. */
  async retireEdges(edges: readonly EdgeIdentity[], actor: string): Promise<void> {
    await this.store.retireEdges(edges, actor);
  }

  /** In the open unit of work: of each of them, in their order, whether it is there as it is, otherwise, or not. */
  matchEntities(entities: readonly ImportedEntity[]): Promise<GraphMatch[]> {
    return this.store.matchEntities(entities);
  }

  /**
   * In the open unit of work, until whose end those that are there stay so.
   * @returns of each, in their order, what it holds; undefined where it is not there
   */
  lockPayloads(entities: readonly { kind: string; id: string }[]): Promise<({ payload: unknown } | undefined)[]> {
    return this.store.lockPayloads(entities);
  }

  /** The same for edges. */
  matchEdges(edges: readonly StoreEdge[]): Promise<GraphMatch[]> {
    return this.store.matchEdges(edges);
  }
}
