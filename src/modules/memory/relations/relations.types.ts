import type { StoreRelation } from './relations.dto.js';

/** A relation of the tenant that is entered already. */
export type ImportedRelation = Omit<StoreRelation, 'tenant_id'>;

/** What makes a relation the one it is. */
export type RelationName = Pick<StoreRelation, 'from_id' | 'edge_type' | 'to_id'>;
