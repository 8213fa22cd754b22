import { Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A passage that was reported to the watch of a query, or was there before it. */
@Entity('watch_seen')
export class WatchSeenRow extends TenantRow {
  @PrimaryColumn('uuid')
  watchId!: string;

  /** Its key: see `passageKey`. */
  @PrimaryColumn('bytea')
  passage!: Buffer;
}
