import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { KeptVersion, RecordCollection, SyncContent, SyncVersion, VersionState } from './sync-record.types.js';

/** A version as it is written; its position is the next one. */
export interface VersionRow extends SyncVersion {
  readonly names: readonly string[];
  readonly state: VersionState;
  readonly position: number;
  readonly localDigest: string | null;
}

/** The content of a version that the tables of the memory do not have. */
export interface KeptContent {
  readonly key: string;
  readonly digest: string;
  readonly names: readonly string[];
  readonly content: SyncContent;
}

/** A row as the statements here return it. */
export interface RawVersion {
  key: string;
  digest: string;
  target: RecordCollection;
  deleted: boolean;
  parts: string[];
  names: string[];
  vector: Record<string, number>;
  writer: string;
  writer_seq: string;
  content_digest: string | null;
  position: string;
  state: VersionState;
  local_digest: string | null;
}

export const VERSION_COLUMNS = `encode(r.key, 'hex') as key, encode(r.digest, 'hex') as digest, r.target, r.deleted, r.parts, r.names, r.vector, r.writer,
  r.writer_seq, encode(r.content_digest, 'hex') as content_digest, r.position, r.state, encode(r.local_digest, 'hex') as local_digest`;

export const versionOf = (row: RawVersion): KeptVersion => ({
  ...{ key: row.key, digest: row.digest, target: row.target, isDeleted: row.deleted, parts: row.parts },
  ...{ names: row.names, vector: row.vector, writer: row.writer, seq: Number(row.writer_seq) },
  ...{ contentDigest: row.content_digest, position: Number(row.position), state: row.state },
  localDigest: row.local_digest,
});

/**
 * Digests as the statements take them: under row-level security what is computed of a row is not looked up in an index.
 */
export const bytesOf = (digests: readonly string[]): Buffer[] => digests.map((digest) => Buffer.from(digest, 'hex'));
const namesOf = (versions: readonly Pick<SyncVersion, 'key' | 'digest'>[]): [Buffer[], Buffer[]] => [
  bytesOf(versions.map(({ key }) => key)),
  bytesOf(versions.map(({ digest }) => digest)),
];

/**
 * Versions and what is kept of their content, in the open unit of work. Rows are looked up one by one, in lateral parts
 * of statements: by the statistics of a table that grew a moment ago the planner would read it whole for each.
 */
@Injectable()
export class SyncRecordsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** All versions of these records, by key. */
  async find(keys: readonly string[]): Promise<Map<string, KeptVersion[]>> {
    const rows = await this.tenancy.query<RawVersion>(
      `select v.* from unnest($2::bytea[]) k (key) cross join lateral (
         select ${VERSION_COLUMNS} from sync_record r where r.tenant_id = $1 and r.key = k.key offset 0) v`,
      [this.tenancy.tenant, bytesOf([...new Set(keys)])],
    );
    const found = new Map<string, KeptVersion[]>();
    for (const row of rows) found.set(row.key, [...(found.get(row.key) ?? []), versionOf(row)]);
    return found;
  }

  /** Versions that would be shown but for a hold, and the keys of their records. */
  async findHeld(limit: number): Promise<KeptVersion[]> {
    const rows = await this.tenancy.query<RawVersion>(
      `select ${VERSION_COLUMNS} from sync_record r where r.tenant_id = $1 and r.state = 'held' order by r.key limit $2`,
      [this.tenancy.tenant, limit],
    );
    return rows.map(versionOf);
  }

  async remove(versions: readonly Pick<SyncVersion, 'key' | 'digest'>[]): Promise<void> {
    if (versions.length === 0) return;
    await this.tenancy.query(
      `delete from sync_record where tenant_id = $1 and ctid = any(array(
         select v.ctid from unnest($2::bytea[], $3::bytea[]) g (key, digest) cross join lateral (
           select r.ctid from sync_record r where r.tenant_id = $1 and r.key = g.key and r.digest = g.digest offset 0) v))`,
      [this.tenancy.tenant, ...namesOf(versions)],
    );
  }

  async insert(rows: readonly VersionRow[]): Promise<void> {
    if (rows.length > 0) await this.tenancy.query(INSERT, [this.tenancy.tenant, JSON.stringify(rows)]);
  }

  /** By the digests of the versions. */
  async readContents(versions: readonly Pick<SyncVersion, 'key' | 'digest'>[]): Promise<Map<string, SyncContent>> {
    if (versions.length === 0) return new Map();
    const rows = await this.tenancy.query<{ digest: string; content: SyncContent }>(
      `select encode(c.digest, 'hex') as digest, c.content from unnest($2::bytea[], $3::bytea[]) d (key, digest) cross join lateral (
         select c.digest, c.content from sync_content c where c.tenant_id = $1 and c.key = d.key and c.digest = d.digest offset 0) c`,
      [this.tenancy.tenant, ...namesOf(versions)],
    );
    return new Map(rows.map(({ digest, content }) => [digest, content]));
  }

  async keepContents(contents: readonly KeptContent[]): Promise<void> {
    if (contents.length === 0) return;
    await this.tenancy.query(
      `insert into sync_content (tenant_id, key, digest, names, content)
       select $1, decode(c.key, 'hex'), decode(c.digest, 'hex'), array(select json_array_elements_text(c.names)), c.content
       from json_to_recordset($2::json) c (key text, digest text, names json, content json) on conflict do nothing`,
      [this.tenancy.tenant, JSON.stringify(contents)],
    );
  }

  /** Content that no version needs any more. What a legal hold pins stays until it is released. */
  async dropContents(): Promise<void> {
    await this.moveAlone(() =>
      this.tenancy.query(
        `delete from sync_content c where c.tenant_id = $1 and svc_holds_on_any($1, c.names) = '{}' and (
           select r.content_digest is distinct from r.local_digest from sync_record r
           where r.tenant_id = $1 and r.key = c.key and r.digest = c.digest and not r.deleted) is not true`,
        [this.tenancy.tenant],
      ),
    );
  }

  /** While it lasts, rows that go are moved by sync, and no erasure (svc_mark_sync). */
  async moveAlone(work: () => Promise<unknown>): Promise<void> {
    await this.tenancy.query(`select set_config('svc.sync_moves', 'on', true)`);
    await work();
    await this.tenancy.query(`select set_config('svc.sync_moves', '', true)`);
  }
}

const INSERT = `
  insert into sync_record (tenant_id, key, digest, target, deleted, parts, names, vector, writer, writer_seq, content_digest, position, state, local_digest)
  select $1, decode(r.key, 'hex'), decode(r.digest, 'hex'), r.target, r."isDeleted", array(select json_array_elements_text(r.parts)),
    array(select json_array_elements_text(r.names)), r.vector, r.writer, r.seq, decode(r."contentDigest", 'hex'), r.position, r.state,
    decode(r."localDigest", 'hex')
  from json_to_recordset($2::json) r (key text, digest text, target text, "isDeleted" boolean, parts json, names json, vector jsonb, writer text,
    seq bigint, "contentDigest" text, position bigint, state text, "localDigest" text)`;
