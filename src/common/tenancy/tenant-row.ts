import { PrimaryColumn } from 'typeorm';

/** A row of a table with a tenant's data: the tenant comes first in its key. */
export abstract class TenantRow {
  @PrimaryColumn('text')
  tenantId!: string;
}
