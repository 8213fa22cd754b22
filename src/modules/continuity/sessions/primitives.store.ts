import { Injectable } from '@nestjs/common';
import { digestBytes } from '../../../evidence/digest.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Pin, Primitive } from './continuity.types.js';
import type { PrimitiveKind } from './journal/journal.types.js';

/** One primitive of a home. */
export interface PrimitiveName {
  homeId: string;
  kind: PrimitiveKind;
  name: string;
}

export type NewVersion = Pick<Primitive, 'text' | 'data' | 'pins' | 'retired' | 'recordedBy' | 'reason'>;

export interface PrimitiveFilter {
  kind?: PrimitiveKind;
  name?: string;
  includeRetired: boolean;
  history: boolean;
}

/** The last row of the page before: kind, name, and its version below zero, since newer ones come first. */
export type PrimitivePosition = [string, string, number];

const PINS = `(select coalesce(json_agg(json_build_object('chunkId', n.chunk_id, 'ownerTenantId', n.owner_tenant_id, 'corpusId', n.corpus_id,
    'docId', n.doc_id, 'docVersion', n.doc_version, 'content', n.content, 'contentHash', 'blake3:' || encode(n.content_hash, 'hex'),
    'answerId', n.answer_id, 'answerVersion', n.answer_version, 'note', n.note, 'pinnedAt', n.pinned_at) order by n.ordinal), '[]')
  from primitive_pin n
  where n.tenant_id = v.tenant_id and n.home_id = v.home_id and n.kind = v.kind and n.name = v.name and n.version = v.version) as pins`;
const COLUMNS = `p.kind, p.name, v.version, v.content_text, v.content_data, v.retired, p.created_by, p.created_at, v.recorded_by, v.recorded_at,
  v.reason, ${PINS}`;
const VERSIONS = 'primitive p join primitive_version v using (tenant_id, home_id, kind, name)';

/** Primitives and their versions. A version is never changed; which one is the newest is. */
@Injectable()
export class PrimitivesStore {
  constructor(private readonly tenancy: Tenancy) {}

  async find(
    homeId: string,
    filter: PrimitiveFilter,
    after: PrimitivePosition | undefined,
    limit: number,
  ): Promise<Primitive[]> {
    const rows = await this.tenancy.query<PrimitiveRow>(
      `select ${COLUMNS} from ${VERSIONS}
       where p.tenant_id = $1 and p.home_id = $2 and ($3::text is null or p.kind = $3) and ($4::text is null or p.name = $4)
         and ($5 or not p.retired) and ($6 or v.version = p.version)
         and ($7::text is null or (p.kind, p.name, -v.version) > ($7, $8::text collate "C", $9::float8))
       order by p.kind, p.name, v.version desc limit $10`,
      [
        this.tenancy.tenant,
        homeId,
        filter.kind ?? null,
        filter.name ?? null,
        filter.includeRetired || filter.history,
        filter.history,
        after?.[0] ?? null,
        after?.[1] ?? null,
        after?.[2] ?? null,
        limit,
      ],
    );
    return rows.map(primitiveOf);
  }

  /** Those in force, the kinds that bind most first; and how many there are in all. */
  async findInForce(homeId: string, limit: number): Promise<{ primitives: Primitive[]; total: number }> {
    const rows = await this.tenancy.query<PrimitiveRow & { total: number }>(
      `select ${COLUMNS}, count(*) over ()::int as total from ${VERSIONS}
       where p.tenant_id = $1 and p.home_id = $2 and not p.retired and v.version = p.version
       order by array_position(array['goal', 'constraint', 'preference', 'skill'], p.kind), p.name limit $3`,
      [this.tenancy.tenant, homeId, limit],
    );
    return { primitives: rows.map(primitiveOf), total: rows[0]?.total ?? 0 };
  }

  /** The newest version, retired or not. */
  async findNewest({ homeId, kind, name }: PrimitiveName): Promise<Primitive | undefined> {
    const filter = { kind, name, includeRetired: true, history: false };
    return (await this.find(homeId, filter, undefined, 1))[0];
  }

  /** Moves a primitive from a version to the next, or makes it from 0. False where it does not stand there. */
  async advance({ homeId, kind, name }: PrimitiveName, from: number, to: NewVersion): Promise<boolean> {
    const rows = await this.tenancy.query(
      from === 0
        ? `insert into primitive (tenant_id, home_id, kind, name, version, retired, created_by) values ($1, $2, $3, $4, $5 + 1, $6, $7)
           on conflict do nothing returning 1`
        : `update primitive set version = version + 1, retired = $6
           where tenant_id = $1 and home_id = $2 and kind = $3 and name = $4 and version = $5 and $7::text is not null returning 1`,
      [this.tenancy.tenant, homeId, kind, name, from, to.retired, to.recordedBy],
    );
    if (rows.length === 0) return false;
    await this.recordVersion({ homeId, kind, name }, from + 1, to);
    await this.recordPins({ homeId, kind, name }, from + 1, to.pins);
    return true;
  }

  private async recordVersion({ homeId, kind, name }: PrimitiveName, version: number, to: NewVersion): Promise<void> {
    await this.tenancy.query(
      `insert into primitive_version (tenant_id, home_id, kind, name, version, content_text, content_data, retired, reason, recorded_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        this.tenancy.tenant,
        homeId,
        kind,
        name,
        version,
        to.text,
        to.data && JSON.stringify(to.data),
        to.retired,
        to.reason,
        to.recordedBy,
      ],
    );
  }

  private async recordPins(
    { homeId, kind, name }: PrimitiveName,
    version: number,
    pins: readonly Pin[],
  ): Promise<void> {
    if (pins.length === 0) return;
    const rows = pins.map((pin, ordinal) => ({
      ...pin,
      ordinal,
      ...('contentHash' in pin && {
        contentHash: `\\x${Buffer.from(digestBytes('blake3', pin.contentHash)).toString('hex')}`,
      }),
    }));
    await this.tenancy.query(
      `insert into primitive_pin (tenant_id, home_id, kind, name, version, ordinal, chunk_id, owner_tenant_id, corpus_id, doc_id, doc_version,
         content, content_hash, answer_id, answer_version, note, pinned_at)
       select $1, $2, $3, $4, $5, n.* from json_to_recordset($6::json) as n (ordinal int, "chunkId" text, "ownerTenantId" text, "corpusId" text,
         "docId" text, "docVersion" int, content text, "contentHash" bytea, "answerId" text, "answerVersion" int, note text, "pinnedAt" timestamptz)`,
      [this.tenancy.tenant, homeId, kind, name, version, JSON.stringify(rows)],
    );
  }
}

interface PrimitiveRow {
  kind: PrimitiveKind;
  name: string;
  version: number;
  content_text: string | null;
  content_data: Record<string, unknown> | null;
  retired: boolean;
  created_by: string;
  created_at: Date;
  recorded_by: string;
  recorded_at: Date;
  reason: string | null;
  pins: (PinColumns & { note: string | null; pinnedAt: string })[];
}

type PinColumns =
  (Extract<Pin, { chunkId: string }> & { answerId: null }) | (Extract<Pin, { answerId: string }> & { chunkId: null });

const primitiveOf = (row: PrimitiveRow): Primitive => ({
  kind: row.kind,
  name: row.name,
  version: row.version,
  text: row.content_text,
  data: row.content_data,
  pins: row.pins.map(pinOf),
  retired: row.retired,
  createdBy: row.created_by,
  createdAt: row.created_at,
  recordedBy: row.recorded_by,
  recordedAt: row.recorded_at,
  reason: row.reason,
});

function pinOf(columns: PrimitiveRow['pins'][number]): Pin {
  const { note } = columns;
  const pinnedAt = new Date(columns.pinnedAt);
  if (columns.chunkId === null) {
    return { answerId: columns.answerId, answerVersion: columns.answerVersion, note, pinnedAt };
  }
  const { chunkId, ownerTenantId, corpusId, docId, docVersion, content, contentHash } = columns;
  return { chunkId, ownerTenantId, corpusId, docId, docVersion, content, contentHash, note, pinnedAt };
}
