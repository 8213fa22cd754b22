import { Injectable } from '@nestjs/common';
import { RelationImportsStore } from './relation-imports.store.js';
import type { ImportedRelation, RelationName } from './relations.types.js';

/** Relations supplied by another module, in its unit of work. */
@Injectable()
export class RelationImportsService {
  constructor(private readonly store: RelationImportsStore) {}

  /** Of each, in their order, whether it is there as it is, otherwise, or not. */
  match(relations: readonly ImportedRelation[]): Promise<('same' | 'other' | 'none')[]> {
    return this.store.match(relations);
  }

  async storeAll(relations: readonly ImportedRelation[], actor: string): Promise<void> {
    if (relations.length > 0) await this.store.store(relations, actor);
  }

  async removeAll(relations: readonly RelationName[], actor: string): Promise<void> {
    if (relations.length > 0) await this.store.remove(relations, actor);
  }
}
