import { Injectable } from '@nestjs/common';
import { blake3Digest } from '../../../evidence/digest.js';
import type { OwnedFact } from '../../memory/facts/owned-facts.types.js';
import { DossiersService } from '../dossiers/dossiers.service.js';
import { NOBODY, ProjectFactsService } from '../dossiers/project-facts.service.js';
import { LayersService } from '../layers/layers.service.js';
import type { LayerPlace } from '../layers/layers.types.js';
import { ProjectsService } from '../projects/projects.service.js';
import { MAX_BLOCK } from './markdown-text.rules.js';
import { StorybookRowsStore } from './storybook-rows.store.js';
import { MAX_STATEMENTS, type StatedLayer, type StorybookSources } from './storybooks.types.js';

/** Gathers what a storybook is made of, in the open unit of work. */
@Injectable()
export class StorybookSourcesService {
  constructor(
    private readonly projects: ProjectsService,
    private readonly layers: LayersService,
    private readonly rows: StorybookRowsStore,
    private readonly dossiers: DossiersService,
    private readonly facts: ProjectFactsService,
  ) {}

  /** @throws ProjectUnknown */
  async gather(projectId: string): Promise<StorybookSources> {
    const row = await this.projects.find(projectId);
    const receipts = await this.rows.findReceipts(projectId);
    const receiptsOf = (planeId: string | null): string[] => {
      const receipt = receipts.get(planeId === null ? projectId : `${projectId}/${planeId}`);
      return receipt === undefined ? [] : [receipt];
    };
    const withReceipts = <T extends { planeId: string | null }>(rows: T[]) =>
      rows.map((one) => ({ ...one, receipts: receiptsOf(one.planeId) }));
    const planes = await this.rows.listPlanes(projectId);
    return {
      project: {
        ...{ id: projectId, name: row.name, planningTarget: row.planningTarget, archived: row.archived },
        ...{ defaultPassport: row.defaultPassportId, workingTenants: row.workingTenants, isDefault: row.isDefault },
        receipts: receiptsOf(null),
      },
      planes: planes.map((one) => ({ ...one, receipts: receiptsOf(one.id) })),
      people: withReceipts(await this.rows.listPeople(projectId)),
      repos: withReceipts(await this.rows.listRepos(projectId)),
      work: await this.rows.listWork(projectId),
      moves: await this.rows.listMoves(projectId),
      gates: await this.rows.listGates(projectId),
      dossiers: await this.gatherDossiers(projectId),
      layers: await this.gatherLayers(projectId, planes),
      facts: await this.facts.listStated(projectId),
    };
  }

  /** Those of the project, then those of its planes, as many as a section holds, by name. */
  private async gatherLayers(projectId: string, planes: readonly { id: string }[]): Promise<StatedLayer[]> {
    const places: LayerPlace[] = [{ projectId }, ...planes.map(({ id: planeId }) => ({ projectId, planeId }))];
    const stated: StatedLayer[] = [];
    for (const place of places) {
      if (stated.length > MAX_STATEMENTS) break;
      stated.push(...(await this.layers.readAll(place)).map((fact) => statedLayer(place, fact)));
    }
    return stated;
  }

  private async gatherDossiers(projectId: string): Promise<StorybookSources['dossiers']> {
    const judged = await this.dossiers.listNewest(projectId, { principal: NOBODY, seesAll: false });
    return judged.map(({ row, claims }) => ({
      ...{ dossierId: row.dossierId, agentPassport: row.agentPassport, receiptId: row.receiptId },
      ...{ claims, openQuestions: row.openQuestions },
    }));
  }
}

/** One sign more than is shown of it is kept, so that it is known to be longer. */
const statedLayer = ({ planeId }: LayerPlace, fact: OwnedFact): StatedLayer => ({
  ...{ factId: fact.fact_id, name: fact.key, planeId: planeId ?? null, version: fact.version },
  ...{ content: fact.value.slice(0, MAX_BLOCK + 1), isCut: fact.value.length > MAX_BLOCK },
  ...{ hash: blake3Digest(fact.value), storedAt: fact.stored_at, receiptId: fact.receipt_id },
});
