import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { REMEMBERED_WITHIN_MS } from '../citations/search-behind.guard.js';
import { documentsWritten, PresentDocumentsViews } from '../citations/present-documents.views.js';
import { ProofStateViews, type ProvableThing } from './proof-state.views.js';
import type { ProofRequest } from './proofs.dto.js';

/** What a proof would rest on now. Another proof of the same is worth making once this differs. */
export interface ProofState {
  /** Of whatever bears the name: an answer, a passage, a retrieval; without a name the last retrieval. */
  versions: (number | string | null)[];
  /** The documents under it, as the tenant sees them: one that is gone, or no longer shared with it, is missing. */
  documents: [key: string, version: number][];
}

/** Says by the state of its subject whether a proof is another one than before; also in processes that make none. */
@Injectable()
export class ProofStateService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly views: ProofStateViews,
    private readonly documents: PresentDocumentsViews,
  ) {}

  async read(tenantId: string, { answerId, artefact_id, retrievalId, agentId }: ProofRequest): Promise<ProofState> {
    const name = answerId ?? artefact_id ?? retrievalId;
    // A retrieval that another process has just answered may not be written down yet.
    if (name === undefined) await setTimeout(REMEMBERED_WITHIN_MS);
    return this.tenancy.run(tenantId, async () => {
      const things = name === undefined ? [await this.views.findLastRetrieval(agentId)] : await this.findNamed(name);
      return this.stateOf(things.filter((thing) => thing !== undefined));
    });
  }

  /** Everything that bears the name, since what is proven is the first of them that exists. */
  private async findNamed(name: string): Promise<(ProvableThing | undefined)[]> {
    return [
      await this.views.findAnswer(name),
      await this.views.findPassage(name),
      await this.views.findRetrieval(name),
      {
        version: null,
        documents: documentsWritten(name).map((document) => ({ ...document, ownerTenantId: this.tenancy.tenant })),
      },
    ];
  }

  private async stateOf(things: readonly ProvableThing[]): Promise<ProofState> {
    const present = await this.documents.findPresent(things.flatMap(({ documents }) => documents));
    const versions = [...present].map(([key, { version }]): ProofState['documents'][number] => [key, version]);
    return { versions: things.map(({ version }) => version), documents: versions.sort() };
  }
}
