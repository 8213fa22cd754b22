import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

const hexadecimal = {
  to: (digits: string | null) => digits && Buffer.from(digits, 'hex'),
  from: (bytes: Buffer | null) => bytes && bytes.toString('hex'),
};

/** A document or a passage that a watch stands on. */
@Entity('watch_source')
export class WatchSourceRow extends TenantRow {
  @PrimaryColumn('uuid')
  watchId!: string;

  @PrimaryColumn('integer')
  ordinal!: number;

  @Column('text')
  ownerTenantId!: string;

  @Column('text')
  corpusId!: string;

  @Column('text')
  docId!: string;

  /** Null: the whole document. */
  @Column('text', { nullable: true })
  chunkId!: string | null;

  /** 64 hexadecimal digits. */
  @Column('bytea', { nullable: true, transformer: hexadecimal })
  contentHash!: string | null;

  @Column('integer')
  version!: number;

  @Column('boolean')
  stands!: boolean;
}

export type WatchSource = Omit<WatchSourceRow, 'tenantId' | 'watchId' | 'ordinal'>;
