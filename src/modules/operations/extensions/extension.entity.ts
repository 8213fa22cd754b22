import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { ExtensionKind } from './extensions.types.js';

/** A program of a tenant, or a tool of the server with arguments, that is called by name. */
@Entity('extension')
export class ExtensionRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  extensionId!: string;

  @Column('text')
  displayName!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text')
  kind!: ExtensionKind;

  /** SHA-256 in hexadecimal: of the module, or of tool and arguments as canonical JSON. */
  @Column('text')
  digest!: string;

  /** Bytes of the module. */
  @Column('integer', { nullable: true })
  moduleBytes!: number | null;

  /** Read alone, where it is run. */
  @Column('bytea', { nullable: true, select: false })
  module!: Buffer | null;

  @Column('text', { nullable: true })
  tool!: string | null;

  @Column('jsonb', { nullable: true })
  arguments!: Record<string, unknown> | null;

  @Column('text')
  registeredBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  registeredAt!: Date;

  /** Null while it is disabled. */
  @Column('timestamptz', { nullable: true })
  enabledAt!: Date | null;

  /** The principal that enabled it, or disabled it last. */
  @Column('text', { nullable: true })
  changedBy!: string | null;
}
