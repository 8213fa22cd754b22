import { Injectable } from '@nestjs/common';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { GraphImportsService } from '../graph/graph-imports.service.js';
import { versionsThere } from './engram-history.rules.js';
import { type EngramHistory, EngramImportsStore } from './engram-imports.store.js';
import { EngramLabelRow } from './engram-label.entity.js';
import { labelEntry } from './engrams.events.js';
import { ENGRAM_KIND } from './engrams.types.js';

/** An engram of another server: its versions, oldest first, the last of them current, each with its labels. */
export interface ImportedEngram {
  name: string;
  versions: { payload: unknown; labels: readonly string[] }[];
}

/** A label that is to point at a version of the tenant, and where it points now. */
export interface LabelMove {
  name: string;
  label: string;
  engramVersion: number;
  known: EngramLabelRow | undefined;
}

/** Of a list: what was stored, what of it took the place of something else, and what was there already. */
interface Counts {
  imported: number;
  superseded: number;
  skipped: number;
}

const NONE: EngramHistory = { isLive: false, versions: [] };

/** Engrams with their versions and labels supplied by another module, in its unit of work. */
@Injectable()
export class EngramImportsService {
  private readonly labels: TenantRepository<EngramLabelRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: EngramImportsStore,
    private readonly graph: GraphImportsService,
    private readonly audit: AuditTrail,
  ) {
    this.labels = new TenantRepository(tenancy, EngramLabelRow);
  }

  /** Stores the versions that the tenant does not have, in their order. @param engrams each name once */
  async storeVersions(engrams: readonly ImportedEngram[], actor: string): Promise<Counts> {
    const counts = { imported: 0, superseded: 0, skipped: 0 };
    const histories = await this.store.histories(engrams.map(({ name }) => name));
    const fresh: { kind: string; id: string; payload: unknown }[] = [];
    for (const { engram, digests } of await this.digested(engrams)) {
      const { versions, isLive } = histories.get(engram.name) ?? NONE;
      const missing = engram.versions.slice(versionsThere(digests, versions, isLive).length);
      fresh.push(...missing.map(({ payload }) => ({ kind: ENGRAM_KIND, id: engram.name, payload })));
      if (missing.length === 0) counts.skipped += 1;
      else counts.imported += 1;
      if (isLive && versions.at(-1)?.digest !== digests.at(-1)) counts.superseded += 1;
    }
    await this.graph.storeEntities(fresh, actor);
    return counts;
  }

  /** After the versions are stored. @returns the labels that point elsewhere here, or not at all, and counts of all */
  async findMoves(engrams: readonly ImportedEngram[]): Promise<{ moves: LabelMove[]; counts: Counts }> {
    const labelled = engrams.filter(({ versions }) => versions.some(({ labels }) => labels.length > 0));
    const histories = await this.store.histories(labelled.map(({ name }) => name));
    const moves: LabelMove[] = [];
    const counts = { imported: 0, superseded: 0, skipped: 0 };
    for (const { engram, digests } of await this.digested(labelled)) {
      const { versions, isLive } = histories.get(engram.name) ?? NONE;
      const there = versionsThere(digests, versions, isLive);
      for (const { label, engramVersion } of labelsOf(engram, there)) {
        const known = await this.findLabel(engram.name, label);
        if (known?.engramVersion === engramVersion) counts.skipped += 1;
        else moves.push({ name: engram.name, label, engramVersion, known });
      }
    }
    counts.imported = moves.length;
    counts.superseded = moves.filter(({ known }) => known !== undefined).length;
    return { moves, counts };
  }

  /** Each with the receipt that a move has. Late: from here on other writers of the stream wait. */
  async moveLabels(by: Actor, moves: readonly LabelMove[]): Promise<void> {
    const entries = moves.map(({ name, label, engramVersion, known }) => {
      const former = known?.engramVersion ?? null;
      return labelEntry('labelled', { name, label, engramVersion, version: (known?.version ?? 0) + 1, former });
    });
    const records = entries.length === 0 ? [] : await this.audit.recordMany(by, entries);
    for (const [place, { name, label, engramVersion, known }] of moves.entries()) {
      const key = { kind: ENGRAM_KIND, id: name, label };
      const version = (known?.version ?? 0) + 1;
      const moved = { engramVersion, version, receiptId: records[place]!.receiptId, movedBy: by.principal };
      if (known) await this.labels.updateOne(key, { ...moved, movedAt: () => 'now()' });
      else await this.labels.insert({ ...key, ...moved, createdBy: by.principal });
    }
  }

  private async findLabel(name: string, label: string): Promise<EngramLabelRow | undefined> {
    await this.tenancy.lock('engram label', `${name}/${label}`);
    return this.labels.find({ kind: ENGRAM_KIND, id: name, label });
  }

  private async digested(engrams: readonly ImportedEngram[]) {
    const all = await this.store.digests(engrams.flatMap(({ versions }) => versions.map(({ payload }) => payload)));
    let from = 0;
    return engrams.map((engram) => ({ engram, digests: all.slice(from, (from += engram.versions.length)) }));
  }
}

const labelsOf = ({ versions }: ImportedEngram, there: readonly number[]) =>
  versions.flatMap(({ labels }, place) =>
    labels.flatMap((label) => (there[place] === undefined ? [] : [{ label, engramVersion: there[place] }])),
  );
