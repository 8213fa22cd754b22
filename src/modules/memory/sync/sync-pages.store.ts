import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { KeptVersion } from './sync-record.types.js';
import { bytesOf, type RawVersion, VERSION_COLUMNS, versionOf } from './sync-records.store.js';
import type { Collection, SyncReach } from './sync.types.js';

/** Where a version stands in the order of keys and digests. */
export interface VersionPlace {
  readonly key: string;
  readonly digest: string;
}

/** Where a page begins: after a version, or after a position. */
export type PageStart = VersionPlace | { readonly position: number };

/** A root with the position that it is as of. */
export interface DigestsRead {
  readonly position: number;
  readonly digests: Buffer;
}

/** Versions of a collection as far as one reaches, in the open unit of work. */
@Injectable()
export class SyncPagesStore {
  constructor(private readonly tenancy: Tenancy) {}

  async page(collection: Collection, reach: SyncReach, start: PageStart, limit: number): Promise<KeptVersion[]> {
    const values: unknown[] = [this.tenancy.tenant, collection];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const isByPosition = 'position' in start;
    const after = isByPosition
      ? `r.position > ${bind(start.position)}`
      : `(r.key, r.digest) > (${bind(Buffer.from(start.key, 'hex'))}::bytea, ${bind(Buffer.from(start.digest, 'hex'))}::bytea)`;
    const rows = await this.tenancy.query<RawVersion>(
      `select ${VERSION_COLUMNS} from sync_record r where r.tenant_id = $1 and r.collection = $2 and ${after}${reachOf(reach, bind)}
       order by ${isByPosition ? 'r.position' : 'r.key, r.digest'} limit ${bind(limit)}`,
      values,
    );
    return rows.map(versionOf);
  }

  /** All digests in the order of keys and digests, 32 bytes each, as of one moment. */
  async digests(collection: Collection, reach: SyncReach): Promise<DigestsRead> {
    const values: unknown[] = [this.tenancy.tenant, collection];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const [row] = await this.tenancy.query<{ position: string; digests: Buffer }>(
      `select coalesce((s.positions ->> $2)::bigint, 0) as position, coalesce((
         select string_agg(r.digest, ''::bytea order by r.key, r.digest) from sync_record r
         where r.tenant_id = $1 and r.collection = $2${reachOf(reach, bind)}), ''::bytea) as digests
       from sync_tenant s where s.tenant_id = $1`,
      values,
    );
    return { position: Number(row?.position ?? 0), digests: row?.digests ?? Buffer.alloc(0) };
  }

  /** The versions in a collection of records that are named by their keys. */
  async ofKeys(collection: Collection, reach: SyncReach, keys: readonly string[]): Promise<KeptVersion[]> {
    const values: unknown[] = [this.tenancy.tenant, collection, bytesOf(keys)];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const rows = await this.tenancy.query<RawVersion>(
      `select v.* from unnest($3::bytea[]) with ordinality k (key, place) cross join lateral (
         select ${VERSION_COLUMNS} from sync_record r
         where r.tenant_id = $1 and r.key = k.key and r.collection = $2${reachOf(reach, bind)} offset 0) v
       order by k.place, v.digest`,
      values,
    );
    return rows.map(versionOf);
  }

  /** Keys of records with versions that are alive and not shown, after one of them. */
  async conflicts(reach: SyncReach, after: string, limit: number): Promise<string[]> {
    const values: unknown[] = [this.tenancy.tenant, Buffer.from(after, 'hex')];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const rows = await this.tenancy.query<{ key: string }>(
      `select distinct encode(r.key, 'hex') as key from sync_record r
       where r.tenant_id = $1 and r.state = 'conflict' and r.key > $2::bytea${reachOf(reach, bind)} order by 1 limit ${bind(limit)}`,
      values,
    );
    return rows.map(({ key }) => key);
  }

  /** Versions of records that none of these origins ever wrote, record by record, after one of them. */
  async foreign(origins: readonly string[], after: VersionPlace, limit: number): Promise<KeptVersion[]> {
    const rows = await this.tenancy.query<RawVersion>(
      `select ${VERSION_COLUMNS} from sync_record r where r.tenant_id = $1 and r.target <> 'holds'
         and (r.key, r.digest) > ($3::bytea, $4::bytea)
         and (select bool_or(o.vector ?| $2::text[]) from sync_record o where o.tenant_id = $1 and o.key = r.key) is not true
       order by r.key, r.digest limit $5`,
      [this.tenancy.tenant, origins, Buffer.from(after.key, 'hex'), Buffer.from(after.digest, 'hex'), limit],
    );
    return rows.map(versionOf);
  }
}

/** As `isReached` decides. */
function reachOf({ prefixes, collections }: SyncReach, bind: (value: unknown) => string): string {
  const targets = collections === 'all' ? '' : ` and r.target = any(${bind([...collections])}::text[])`;
  if (prefixes === 'all') return targets;
  const list = `unnest(${bind(prefixes)}::text[]) p`;
  return `${targets} and case when r.target = 'holds'
    then r.names = '{}' or exists (select from unnest(r.names) n, ${list} where starts_with(n, p) or starts_with(p, n))
    else not exists (select from unnest(r.names) n where not exists (select from ${list} where starts_with(n, p))) end`;
}
