import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { NodeKind, RootKind, Walk } from './blast-radius.types.js';

/** Rows of one statement. */
const MAX_ROWS = 5_000;

/** How the root of a walk is found by what {@link rootNamesOf} makes of its id. $1 is the tenant. */
const ROOTS: Readonly<Record<RootKind, string>> = {
  document: `select array[x.corpus_id, x.doc_id] as key from unnest($2::text[], $3::text[]) n(corpus, doc)
    join document x on x.tenant_id = $1 and x.corpus_id = n.corpus and x.doc_id = n.doc order by length(x.corpus_id) limit 1`,
  passage: 'select array[chunk_id] as key from chunk where tenant_id = $1 and chunk_id = any ($2::text[])',
  fact: 'select array[fact_id::text] as key from fact where tenant_id = $1 and fact_id = any ($2::uuid[]) and not tombstone',
  receipt: `select array[receipt_id::text] as key from receipt where tenant_id = $1 and receipt_id = any ($2::uuid[])
    union all select array['blake3:' || encode(record_digest, 'hex')] from retrieval_receipt
    where tenant_id = $1 and record_digest = any ($3::bytea[])`,
  case: 'select array[case_id::text] as key from memory_case where tenant_id = $1 and case_id = any ($2::uuid[])',
  answer: `select array[answer_id, version::text] as key from answer where tenant_id = $1 and answer_id = any ($2::text[]) order by version`,
};

/** What walks are kept in, and what they need to know of the rest of the database. In the open unit of work. */
@Injectable()
export class RadiusStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Keys of the root; of an answer one for each version. None where there is no such thing. */
  async findRoots(kind: RootKind, names: readonly (readonly unknown[])[]): Promise<string[][]> {
    const rows = await this.tenancy.query<{ key: string[] }>(ROOTS[kind], [this.tenancy.tenant, ...names]);
    return rows.map(({ key }) => key);
  }

  /** The document that a passage is of; undefined where it has been erased meanwhile. */
  async findDocumentOf(chunkId: string): Promise<string[] | undefined> {
    const [row] = await this.tenancy.query<{ key: string[] }>(
      'select array[corpus_id, doc_id] as key from chunk where tenant_id = $1 and chunk_id = $2',
      [this.tenancy.tenant, chunkId],
    );
    return row?.key;
  }

  /** Digest over what the tenant finds now. */
  async readStateRoot(): Promise<Buffer> {
    const [row] = await this.tenancy.query<{ root: Buffer }>('select svc_state_root($1) as root', [
      this.tenancy.tenant,
    ]);
    return row!.root;
  }

  async record(radiusId: string, { nodes, edges }: Walk): Promise<void> {
    await this.insert(
      `insert into blast_radius_node (tenant_id, radius_id, position, kind, key, depth, via_edge, via_position)
       select $1, $2, r.position, r.kind, r.key, r.depth, r."viaEdge", r."viaPosition"
       from json_to_recordset($3::json) r(position int, kind text, key text[], depth int, "viaEdge" text, "viaPosition" int)`,
      radiusId,
      nodes.map((node, place) => ({ ...node, position: place + 1, viaPosition: positionOf(node.viaPosition) })),
    );
    await this.insert(
      `insert into blast_radius_edge (tenant_id, radius_id, position, from_position, edge, to_position)
       select $1, $2, r.position, r."from", r.edge, r."to"
       from json_to_recordset($3::json) r(position int, "from" int, edge text, "to" int)`,
      radiusId,
      edges.map(({ from, edge, to }, place) => ({ position: place + 1, from: from + 1, edge, to: to + 1 })),
    );
  }

  /** The documents, facts and cases that a walk reached, or of which it began at a part. */
  findToSetAside(radiusId: string): Promise<{ kind: NodeKind; key: string[] }[]> {
    return this.tenancy.query(
      `select kind, key from blast_radius_node where tenant_id = $1 and radius_id = $2 and kind in ('document', 'fact', 'case') order by position`,
      [this.tenancy.tenant, radiusId],
    );
  }

  /** Marks what is aside of a walk; an own document, or a fact or case that is there. @returns how many of each kind */
  async markSetAside(radiusId: string): Promise<Partial<Record<NodeKind, number>>> {
    const rows = await this.tenancy.query<{ kind: NodeKind; count: number }>(
      `with marked as (
         update blast_radius_node n set set_aside = true
         where n.tenant_id = $1 and n.radius_id = $2 and (
           n.kind = 'document' and exists (select from document d where d.tenant_id = $1 and d.corpus_id = n.key[1] and d.doc_id = n.key[2]
             and d.quarantined_version = d.current_version)
           or n.kind = 'fact' and exists (select from fact f where f.tenant_id = $1 and f.fact_id = n.key[1]::uuid and f.quarantined)
           or n.kind = 'case' and exists (select from memory_case c where c.tenant_id = $1 and c.case_id = n.key[1]::uuid and c.quarantined))
         returning n.kind
       )
       select kind, count(*)::int as count from marked group by kind`,
      [this.tenancy.tenant, radiusId],
    );
    return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
  }

  /**
   * What a walk has aside.
   * @returns its keys by kind, each with whether another walk that was not undone has it aside as well
   */
  findSetAside(radiusId: string): Promise<{ kind: NodeKind; key: string[]; kept: boolean }[]> {
    return this.tenancy.query(
      `select n.kind, n.key, exists (${OTHERS} and o.kind = n.kind and o.key = n.key) as kept
       from blast_radius_node n where n.tenant_id = $1 and n.radius_id = $2 and n.set_aside order by n.position`,
      [this.tenancy.tenant, radiusId],
    );
  }

  /** Every fact that another walk has aside. */
  async findFactsKept(radiusId: string): Promise<string[]> {
    const rows = await this.tenancy.query<{ fact_id: string }>(
      `select distinct o.key[1] as fact_id from (${OTHERS.replace('select', 'select o.*')} and o.kind = 'fact') o`,
      [this.tenancy.tenant, radiusId],
    );
    return rows.map(({ fact_id }) => fact_id);
  }

  /** Nobody else sets anything of the tenant aside, or brings it back, until the unit of work ends. */
  lockQuarantines(): Promise<void> {
    return this.tenancy.lock('quarantine');
  }

  private async insert(sql: string, radiusId: string, rows: readonly object[]): Promise<void> {
    for (let first = 0; first < rows.length; first += MAX_ROWS)
      await this.tenancy.query(sql, [
        this.tenancy.tenant,
        radiusId,
        JSON.stringify(rows.slice(first, first + MAX_ROWS)),
      ]);
  }
}

const positionOf = (place: number | null): number | null => (place === null ? null : place + 1);

const OTHERS = `select from blast_radius_node o
  join blast_radius b on b.tenant_id = o.tenant_id and b.radius_id = o.radius_id and b.applied_at is not null and b.undone_at is null
  where o.tenant_id = $1 and o.radius_id <> $2 and o.set_aside`;
