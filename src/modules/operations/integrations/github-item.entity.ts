import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { GithubItemKind, GithubItemState } from './integrations.types.js';

/** An issue or a pull request as webhooks last reported it. */
@Entity('github_item')
export class GithubItemRow extends TenantRow {
  @PrimaryColumn(SAFE_INTEGER)
  repositoryId!: number;

  @PrimaryColumn(SAFE_INTEGER)
  number!: number;

  /** By whose webhook it was reported last. */
  @Column('uuid')
  integrationId!: string;

  @Column('text')
  kind!: GithubItemKind;

  @Column({ type: 'text', collation: 'C' })
  repository!: string;

  @Column('text')
  title!: string;

  @Column('text')
  url!: string;

  @Column('text')
  state!: GithubItemState;

  /** As GitHub says. */
  @Column('timestamptz')
  changedAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  reportedAt!: Date;
}
