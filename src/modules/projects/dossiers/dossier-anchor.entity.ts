import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { AnchorKind } from './dossiers.types.js';

/** Where a claim of a dossier rests. Of a passage also where it was from, so that it is found in a newer version. */
@Entity('dossier_anchor')
export class DossierAnchorRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  projectId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  dossierId!: string;

  /** Of the claim in its dossier, from 0. */
  @PrimaryColumn('integer')
  place!: number;

  /** Of the anchor in its claim, from 0. */
  @PrimaryColumn('integer')
  ordinal!: number;

  @Column('text')
  claimId!: string;

  @Column('text')
  kind!: AnchorKind;

  /** What it names: its id within its kind. */
  @Column({ type: 'text', collation: 'C' })
  ref!: string;

  @Column('integer', { nullable: true })
  startOffset!: number | null;

  @Column('integer', { nullable: true })
  endOffset!: number | null;

  @Column('text', { nullable: true })
  quoteBlake3!: string | null;

  @Column('text', { nullable: true })
  ownerTenantId!: string | null;

  @Column('text', { nullable: true })
  corpusId!: string | null;

  @Column('text', { nullable: true })
  docId!: string | null;

  /** `blake3:<hex>` of the passage's text. */
  @Column('text', { nullable: true })
  contentHash!: string | null;
}
