import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type Values } from '../../../common/tenancy/tenant-repository.js';
import type { Digest } from '../../../evidence/digest.js';
import { DossierAnchorRow } from './dossier-anchor.entity.js';
import { DossierRow } from './dossier.entity.js';
import { MAX_AGENTS, type Anchor, type Claim } from './dossiers.types.js';
import { SUMMARY_COLUMNS } from './dossiers.views.js';

/** Where a passage was from when a claim came to rest on it. */
interface Passage {
  ownerTenantId: string;
  corpusId: string;
  docId: string;
  contentHash: Digest;
}

/** A dossier with what its claims rest on. */
export interface WholeDossier {
  row: DossierRow;
  claims: Claim[];
  passages: Map<string, Passage>;
}

/** Dossiers of the open unit of work's tenant; never changed, only added. */
@Injectable()
export class DossiersStore {
  readonly dossiers: TenantRepository<DossierRow>;
  private readonly anchors: TenantRepository<DossierAnchorRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.dossiers = new TenantRepository(tenancy, DossierRow);
    this.anchors = new TenantRepository(tenancy, DossierAnchorRow);
  }

  /** Of two that publish in a project at the same time, the later one sees the other. */
  lock(projectId: string): Promise<void> {
    return this.tenancy.lock('dossiers', projectId);
  }

  async insert(
    {
      claims,
      ...values
    }: Omit<Values<DossierRow>, 'claims' | 'projectId' | 'dossierId'> & {
      projectId: string;
      dossierId: string;
      claims: readonly Claim[];
    },
    passages: ReadonlyMap<string, Passage>,
  ): Promise<DossierRow> {
    const { projectId, dossierId } = values;
    const stored = claims.map(({ claim_id, text, confidence }) => ({ claim_id, text, confidence }));
    const row = await this.dossiers.insert({ ...values, claims: stored });
    const anchors = claims.flatMap(({ claim_id: claimId, anchors: all }, place) =>
      all.map((anchor, ordinal) => ({
        ...{ projectId, dossierId, place, ordinal, claimId, kind: anchor.kind, ref: anchor.id },
        ...{ startOffset: anchor.start, endOffset: anchor.end, quoteBlake3: anchor.quote_blake3 },
        ...(anchor.kind === 'chunk' ? passages.get(anchor.id) : {}),
      })),
    );
    await this.anchors.insertAll(anchors);
    return row;
  }

  async find(projectId: string, dossierId: string): Promise<WholeDossier | undefined> {
    const row = await this.dossiers.find({ projectId, dossierId });
    return row && (await this.withAnchors(projectId, [row]))[0];
  }

  /** Newest first, without what they say. */
  list(
    filter: { projectId: string; agentPassport?: string | undefined },
    after: [number, string] | undefined,
    take: number,
  ): Promise<Pick<DossierRow, (typeof SUMMARY_COLUMNS)[number]>[]> {
    const order = { createdAt: 'desc', dossierId: 'desc' } as const;
    return this.dossiers.listOnly(SUMMARY_COLUMNS, filter, { order, after, take });
  }

  /** The newest of each agent, of the agents that published last, by agent. */
  async listNewest(projectId: string): Promise<WholeDossier[]> {
    const newest = await this.tenancy.query<{ dossier_id: string }>(
      `select dossier_id from (
         select distinct on (agent_passport) agent_passport, dossier_id, created_at from dossier
         where tenant_id = $1 and project_id = $2 order by agent_passport, created_at desc, dossier_id desc) d
       order by created_at desc, dossier_id desc limit $3`,
      [this.tenancy.tenant, projectId, MAX_AGENTS],
    );
    const ids = newest.map(({ dossier_id }) => dossier_id);
    if (ids.length === 0) return [];
    const rows = await this.dossiers.list(
      { projectId, dossierId: In(ids) },
      { order: { agentPassport: 'asc', dossierId: 'asc' } },
    );
    return this.withAnchors(projectId, rows);
  }

  private async withAnchors(projectId: string, rows: DossierRow[]): Promise<WholeDossier[]> {
    const all = await this.anchors.list(
      { projectId, dossierId: In(rows.map(({ dossierId }) => dossierId)) },
      { order: { dossierId: 'asc', place: 'asc', ordinal: 'asc' } },
    );
    const byDossier = Map.groupBy(all, ({ dossierId }) => dossierId);
    return rows.map((row) => wholeOf(row, byDossier.get(row.dossierId) ?? []));
  }
}

function wholeOf(row: DossierRow, anchors: readonly DossierAnchorRow[]): WholeDossier {
  const byPlace = Map.groupBy(anchors, ({ place }) => place);
  const claims = row.claims.map((claim, place) => ({ ...claim, anchors: (byPlace.get(place) ?? []).map(anchorOf) }));
  const passages = anchors.filter(({ kind, ownerTenantId }) => kind === 'chunk' && ownerTenantId !== null);
  return { row, claims, passages: new Map(passages.map((anchor) => [anchor.ref, passageOf(anchor)])) };
}

const anchorOf = (row: DossierAnchorRow): Anchor => ({
  ...{ kind: row.kind, id: row.ref, start: row.startOffset, end: row.endOffset, quote_blake3: row.quoteBlake3 },
});

const passageOf = ({ ownerTenantId, corpusId, docId, contentHash }: DossierAnchorRow): Passage => ({
  ...{ ownerTenantId: ownerTenantId!, corpusId: corpusId!, docId: docId! },
  contentHash: contentHash as Digest,
});
