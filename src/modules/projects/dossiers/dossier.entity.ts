import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { Microseconds } from '../../../common/database/microseconds.js';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { BasedOn, Contradiction, DossierOrigin, StoredClaim, Uncertainty } from './dossiers.types.js';

/** What an agent says about a project, as it was published; where its claims rest stands in `dossier_anchor`. */
@Entity('dossier')
export class DossierRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  projectId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  dossierId!: string;

  @Column({ type: 'text', collation: 'C' })
  agentPassport!: string;

  /** When its author says that it was made. */
  @Column(SAFE_INTEGER)
  generatedAtUnixMs!: number;

  @Column('text')
  origin!: DossierOrigin;

  @Column('json')
  basedOn!: BasedOn;

  @Column('json')
  claims!: StoredClaim[];

  @VirtualColumn('integer', { query: (one) => `json_array_length(${one}.claims)` })
  claimCount!: number;

  @Column('json')
  uncertainties!: Uncertainty[];

  @Column('json')
  contradictions!: Contradiction[];

  @Column('json')
  openQuestions!: string[];

  /** BLAKE3 of the canonical JSON of all that was published. */
  @Column('text')
  contentHash!: string;

  @Column('uuid')
  receiptId!: string;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Microseconds('created_at')
  createdUs!: number;
}
