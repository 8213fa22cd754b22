import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ServerStatus } from '../shield.types.js';
import { TrustRow } from './trust-row.js';

@Entity('shield_server')
export class ServerRow extends TrustRow {
  @PrimaryColumn('text')
  serverId!: string;

  @Column('text', { nullable: true })
  url!: string | null;

  @Column('text')
  publisherId!: string;

  /** The tool definitions it is trusted with; empty: any that is not revoked. */
  @Column('text', { array: true })
  toolDigests!: string[];

  @Column('text')
  status!: ServerStatus;
}
