import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TrustStatus } from '../shield.types.js';
import { TrustRow } from './trust-row.js';

/** A tool definition. */
@Entity('shield_digest')
export class ToolDigestRow extends TrustRow {
  @PrimaryColumn('text')
  digest!: string;

  @Column('text', { nullable: true })
  tool!: string | null;

  @Column('text', { nullable: true })
  publisherId!: string | null;

  @Column('text')
  status!: TrustStatus;

  /** The incident drill that put it up; lists leave it out. */
  @Column('uuid', { nullable: true })
  drillId!: string | null;
}
