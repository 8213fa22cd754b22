import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** What a session has announced last. Past `expiresAt` it does not count any more. */
@Entity('coord_intent')
export class IntentRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  sessionId!: string;

  @Column('uuid')
  intentId!: string;

  @Column('text')
  projectId!: string;

  @Column('text', { nullable: true })
  byPassport!: string | null;

  @Column('text', { nullable: true })
  execplanSlug!: string | null;

  @Column('text', { nullable: true })
  milestone!: string | null;

  @Column('text', { nullable: true })
  deployTarget!: string | null;

  /** As `readResource` writes them. */
  @Column('text', { array: true, default: '{}' })
  paths!: string[];

  @Column('text', { nullable: true })
  note!: string | null;

  /** The principal. */
  @Column('text')
  announcedBy!: string;

  /** When the session announced something in this project first, without a gap since. */
  @Column('timestamptz', { default: () => 'now()' })
  since!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  announcedAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;
}

/** What is announced. */
export type IntentDraft = Omit<IntentRow, 'tenantId' | 'since' | 'announcedAt' | 'expiresAt'>;
