import type { StoreRelation } from './relations.dto.js';

/** A relation of the tenant that is entered already. */
export type ImportedRelation = Omit<StoreRelation, 'tenant_id'>;
