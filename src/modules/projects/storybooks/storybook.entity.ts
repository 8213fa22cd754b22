import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { Section, StorybookStats } from './storybooks.types.js';

/** A storybook as it was generated. Its content has no time of its own: equal states have equal content. */
@Entity('storybook')
export class StorybookRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  projectId!: string;

  /** Its version: no two of a project have the same. */
  @PrimaryColumn(SAFE_INTEGER)
  generatedAtUnixMs!: number;

  @Column('text')
  title!: string;

  /** As Markdown. */
  @Column('text')
  content!: string;

  @Column('json')
  sections!: Section[];

  @VirtualColumn('integer', { query: (one) => `json_array_length(${one}.sections)` })
  sectionCount!: number;

  @Column('json')
  stats!: StorybookStats;

  /** Of its content, in UTF-8. */
  @Column('integer')
  bytes!: number;

  /** `blake3:<hex>` of its content. */
  @Column('text')
  contentHash!: string;

  @Column('text', { nullable: true })
  generatedByPassport!: string | null;

  @Column('uuid')
  receiptId!: string;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
