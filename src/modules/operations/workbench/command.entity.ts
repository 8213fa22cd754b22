import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A command that somebody says to have run, chained to the one before it. Rows are only added. */
@Entity('workbench_command')
export class CommandRow extends TenantRow {
  /** 1 for the tenant's first, then one more each. */
  @PrimaryColumn(SAFE_INTEGER)
  seq!: number;

  /** The client's own. */
  @Column({ type: 'text', collation: 'C' })
  commandId!: string;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  sessionId!: string | null;

  /** Who recorded it. */
  @Column('text')
  principal!: string;

  /** Without its secrets. */
  @Column('text')
  command!: string;

  @Column('text', { nullable: true })
  cwd!: string | null;

  @Column('integer', { nullable: true })
  exitCode!: number | null;

  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  /** As it was sent: `sha256:<hex>` or `blake3:<hex>`. */
  @Column('text', { nullable: true })
  outputDigest!: string | null;

  /** Hexadecimal. */
  @Column('text')
  salt!: string;

  @Column('bytea')
  contentDigest!: Buffer;

  /** The digest of the one before; 32 zero bytes of the first. */
  @Column('bytea')
  previous!: Buffer;

  @Column('bytea')
  digest!: Buffer;

  @Column('uuid')
  receiptId!: string;

  @Column('timestamptz')
  recordedAt!: Date;
}
