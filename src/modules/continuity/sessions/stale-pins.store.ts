import { Injectable } from '@nestjs/common';
import { namedDigest } from '../../../evidence/digest.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { PassageThen } from '../../knowledge/citations/source-states.types.js';
import type { PinChange, StalePin } from './continuity.types.js';

/** The last row of the page before: kind, name, ordinal of the pin. */
export type PinPosition = [string, string, number];

/** A pin in force with what it rests on: a passage, or the passages an answer cites, by their place in it. */
export interface RestingPin extends Omit<StalePin, 'changes'> {
  passages: (PassageThen & { position: number })[];
  /** The newest version of the pinned answer, where it is a later one. */
  revision: { version: number; recordedAt: Date } | null;
}

/** One passage of a pin. */
export interface PinnedPassage extends Pick<StalePin, 'kind' | 'name' | 'ordinal'> {
  position: number;
}

/** What is shown of a passage that is stale, beyond what has become of it. */
export type PassageDetails = Omit<PinChange, 'state' | 'change' | 'newVersion'>;

const PINS = 'primitive p join primitive_pin n using (tenant_id, home_id, kind, name, version)';
const RESTING = `(
  select 0 as position, n.chunk_id, n.owner_tenant_id, n.corpus_id, n.doc_id, n.doc_version, n.content, n.content_hash where n.chunk_id is not null
  union all
  select c.ordinal, c.chunk_id, c.owner_tenant_id, c.corpus_id, c.doc_id, c.doc_version, c.content, c.content_hash from citation c
  where c.tenant_id = n.tenant_id and c.answer_id = n.answer_id and c.version = n.answer_version
)`;

/** Reads pins and what they rest on. */
@Injectable()
export class StalePinsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Pins in force, by kind, name and ordinal. */
  async findPins(homeId: string, after: PinPosition | undefined, limit: number): Promise<RestingPin[]> {
    const rows = await this.tenancy.query<PinRow>(
      `select p.kind, p.name, n.version, n.ordinal, n.note, n.pinned_at, n.chunk_id, n.answer_id, n.answer_version,
         (select json_build_object('version', a.version, 'recordedAt', a.recorded_at) from answer a
          where a.tenant_id = n.tenant_id and a.answer_id = n.answer_id and a.version > n.answer_version order by a.version desc limit 1) as revision,
         (select coalesce(json_agg(json_build_object('position', x.position, 'ownerTenantId', x.owner_tenant_id, 'corpusId', x.corpus_id,
            'docId', x.doc_id, 'hash', encode(x.content_hash, 'hex')) order by x.position), '[]') from ${RESTING} x) as passages
       from ${PINS}
       where p.tenant_id = $1 and p.home_id = $2 and not p.retired
         and ($3::text is null or (p.kind, p.name, n.ordinal) > ($3, $4::text collate "C", $5::float8))
       order by p.kind, p.name, n.ordinal limit $6`,
      [this.tenancy.tenant, homeId, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, limit],
    );
    return rows.map(pinOf);
  }

  /**
   * What there is to say of passages, in their order. Of another tenant's document only its shared, current passages
   * can be seen, so that its digests and times are null.
   */
  async describe(homeId: string, passages: readonly PinnedPassage[]): Promise<PassageDetails[]> {
    const rows = await this.tenancy.query<{ details: PassageDetails }>(
      `select json_build_object(
         'chunkId', x.chunk_id, 'source', case when x.owner_tenant_id = $1 then 'tenant' else 'commons' end,
         'corpusId', x.corpus_id, 'docId', x.doc_id, 'oldVersion', x.doc_version,
         'excerpt', left(x.content, 160), 'contentHash', 'blake3:' || encode(x.content_hash, 'hex'),
         'oldDocumentHash', 'blake3:' || encode(v.content_hash, 'hex'), 'newDocumentHash', 'blake3:' || encode(w.content_hash, 'hex'),
         'changedAt', case when newest.version is null then d.deleted_at else d.updated_at end,
         'replacement', case when s.chunk_id is not null then json_build_object('chunkId', s.chunk_id, 'version', s.version,
           'contentHash', 'blake3:' || encode(s.content_hash, 'hex'), 'match', 'contained') end) as details
       from jsonb_to_recordset($3::jsonb) as k(index int, kind text, name text, ordinal int, position int)
       join (${PINS}) on p.tenant_id = $1 and p.home_id = $2 and p.kind = k.kind and p.name = k.name and n.ordinal = k.ordinal
       join lateral ${RESTING} x on x.position = k.position
       left join lateral (
         select max(c.version) as version from chunk c
         where c.tenant_id = x.owner_tenant_id and c.corpus_id = x.corpus_id and c.doc_id = x.doc_id and c.retired_at is null
       ) newest on true
       left join lateral (
         select c.chunk_id, c.version, c.content_hash from chunk c
         where c.tenant_id = x.owner_tenant_id and c.corpus_id = x.corpus_id and c.doc_id = x.doc_id and c.retired_at is null
           and strpos(c.content, x.content) > 0
         order by c.ordinal limit 1
       ) s on true
       left join document d on d.tenant_id = x.owner_tenant_id and d.corpus_id = x.corpus_id and d.doc_id = x.doc_id
       left join document_version v on v.tenant_id = x.owner_tenant_id and v.corpus_id = x.corpus_id and v.doc_id = x.doc_id and v.version = x.doc_version
       left join document_version w on w.tenant_id = x.owner_tenant_id and w.corpus_id = x.corpus_id and w.doc_id = x.doc_id and w.version = newest.version
       order by k.index`,
      [this.tenancy.tenant, homeId, JSON.stringify(passages.map((passage, index) => ({ ...passage, index })))],
    );
    return rows.map(({ details }) => ({ ...details, changedAt: details.changedAt && inUtc(details.changedAt) }));
  }
}

const inUtc = (time: string): string => new Date(time).toISOString();

interface PinRow {
  kind: StalePin['kind'];
  name: string;
  version: number;
  ordinal: number;
  note: string | null;
  pinned_at: Date;
  chunk_id: string | null;
  answer_id: string | null;
  answer_version: number | null;
  revision: { version: number; recordedAt: string } | null;
  passages: { position: number; ownerTenantId: string; corpusId: string; docId: string; hash: string }[];
}

const pinOf = (row: PinRow): RestingPin => ({
  kind: row.kind,
  name: row.name,
  version: row.version,
  ordinal: row.ordinal,
  chunkId: row.chunk_id,
  answerId: row.answer_id,
  answerVersion: row.answer_version,
  note: row.note,
  pinnedAt: row.pinned_at,
  revision: row.revision && { version: row.revision.version, recordedAt: new Date(row.revision.recordedAt) },
  passages: row.passages.map(({ hash, ...passage }) => ({
    ...passage,
    contentHash: namedDigest('blake3', Buffer.from(hash, 'hex')),
  })),
});
