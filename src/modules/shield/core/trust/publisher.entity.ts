import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TrustStatus } from '../shield.types.js';
import { TrustRow } from './trust-row.js';

@Entity('shield_publisher')
export class PublisherRow extends TrustRow {
  @PrimaryColumn('text')
  publisherId!: string;

  @Column('text')
  name!: string;

  /** Ed25519, 32 bytes. With one, tool definitions are pinned only with its signature. */
  @Column('bytea', { nullable: true })
  publicKey!: Buffer | null;

  @Column('text')
  status!: TrustStatus;
}
