import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { engramOf } from './engram-payload.rules.js';
import type { Engram } from './engrams.types.js';

/** Which versions of engrams are meant; what is undefined does not narrow. */
export interface WantedEngrams {
  names?: readonly string[] | undefined;
  intentBucket?: string | undefined;
  after?: string | undefined;
  limit: number;
}

const MEMBERS = 'v.id as name, v.version, v.payload, v.stored_at, v.stored_by';
/** What was stored under the kind before it had rules, and is no engram, has no content. */
const LIVE = `e.kind = 'engram' and not e.is_deleted and json_typeof(v.payload) = 'object' and v.payload ->> 'content' is not null`;
const CURRENT = `from graph_entity e join graph_entity_version v using (tenant_id, kind, id, version) where ${LIVE}`;

/** Engrams that are entities of the open unit of work's tenant. */
@Injectable()
export class EngramsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** The current versions, by name. */
  async list({ names, intentBucket, after, limit }: WantedEngrams): Promise<Engram[]> {
    const rows = await this.tenancy.query<VersionRow>(
      `select ${MEMBERS} ${CURRENT} and ($1::text[] is null or e.id = any($1)) and ($2::text is null or v.payload ->> 'intent_bucket' = $2)
         and e.id > $3 order by e.id limit $4`,
      [names ?? null, intentBucket ?? null, after ?? '', limit],
    );
    return engramsOf(rows);
  }

  /** Those of these names that there are. */
  async known(names: readonly string[]): Promise<Set<string>> {
    const rows = await this.tenancy.query<{ name: string }>(`select e.id as name ${CURRENT} and e.id = any($1)`, [
      names,
    ]);
    return new Set(rows.map(({ name }) => name));
  }

  /** Of versions by their numbers, the names of those that are current. */
  async namesOf(numbers: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.tenancy.query<{ seq: string; name: string }>(
      `select v.seq, e.id as name ${CURRENT} and v.seq = any ($1::bigint[])`,
      [numbers],
    );
    return new Map(rows.map(({ seq, name }) => [seq, name]));
  }

  async count(intentBucket: string | undefined): Promise<number> {
    const [row] = await this.tenancy.query<{ count: number }>(
      `select count(*)::int as count ${CURRENT} and ($1::text is null or v.payload ->> 'intent_bucket' = $1)`,
      [intentBucket ?? null],
    );
    return row!.count;
  }

  /** The versions that a label points at, by name; of deleted engrams none. */
  async listLabelled(label: string, { names, limit }: WantedEngrams): Promise<Engram[]> {
    const rows = await this.tenancy.query<VersionRow>(
      `select ${MEMBERS} from engram_label l join graph_entity e using (tenant_id, kind, id)
         join graph_entity_version v on v.tenant_id = l.tenant_id and v.kind = l.kind and v.id = l.id and v.version = l.engram_version
       where ${LIVE} and l.label = $1 and ($2::text[] is null or l.id = any($2)) order by l.id limit $3`,
      [label, names ?? null, limit],
    );
    return engramsOf(rows);
  }

  /** Newest first; deletions are no versions of an engram. */
  async listVersions(name: string, after: number | undefined, limit: number): Promise<Engram[]> {
    const rows = await this.tenancy.query<VersionRow>(
      `select ${MEMBERS} from graph_entity_version v where v.kind = 'engram' and v.id = $1 and v.version < $2::bigint and not v.is_deleted
       order by v.version desc limit $3`,
      [name, after ?? 2 ** 31 - 1, limit],
    );
    return engramsOf(rows);
  }

  async findVersion(name: string, version: number): Promise<Engram | undefined> {
    const rows = await this.tenancy.query<VersionRow>(
      `select ${MEMBERS} from graph_entity_version v where v.kind = 'engram' and v.id = $1 and v.version = $2 and not v.is_deleted`,
      [name, version],
    );
    return engramsOf(rows)[0];
  }
}

interface VersionRow {
  name: string;
  version: number;
  payload: unknown;
  stored_at: Date;
  stored_by: string;
}

const engramsOf = (rows: readonly VersionRow[]): Engram[] =>
  rows.flatMap(({ name, version, payload, stored_at: createdAt, stored_by: createdBy }) => {
    const engram = engramOf({ name, version, source: 'entity', createdAt, createdBy }, payload);
    return engram ? [engram] : [];
  });
