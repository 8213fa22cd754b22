import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { sourcesDigest } from '../../../evidence/fact-leaf.js';
import { AnswersService } from '../../knowledge/citations/answers.service.js';
import type { VisibleChunk } from '../../knowledge/citations/citations.types.js';
import { SourceStatesService } from '../../knowledge/citations/source-states.service.js';
import type { PassageThen } from '../../knowledge/citations/source-states.types.js';
import { chosenSource, sourceNow } from './fact-sources.rules.js';
import { FactSourcesStore, type SourceReader } from './fact-sources.store.js';
import type { FactSource, FactSourceNow } from './fact-sources.types.js';
import type { FactDraft, FactReader, FactRow, FactWriter } from './facts.types.js';

/**
 * What facts were learnt from: found when they are stored, and held against what stands there when they are read.
 * Whether a passage still holds is for SourceStatesService to say.
 */
@Injectable()
export class FactSources {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: FactSourcesStore,
    private readonly answers: AnswersService,
    private readonly states: SourceStatesService,
  ) {}

  /**
   * The drafts with what their sources name; without a statement where nobody names any.
   * @throws ValidationFailed for what is not there, or not for the writer to see
   */
  async resolve(tenantId: string, drafts: readonly FactDraft[], by: FactWriter): Promise<readonly FactDraft[]> {
    const ids = [...new Set(drafts.flatMap(({ source_ids }) => source_ids ?? []))];
    if (ids.length === 0) return drafts;
    const found = await this.tenancy.run(tenantId, () =>
      this.find(ids, { principal: by.principal, seesAll: by.seesAll ?? false }),
    );
    return drafts.map((draft) => {
      if (!draft.source_ids?.length) return draft;
      const sources = draft.source_ids.map((id, index) => {
        const source = found.get(id);
        if (!source) throw sourceMissing(`${draft.path}.sources[${index}]`);
        return source;
      });
      return { ...draft, sources, sources_digest: sourcesDigest(sources) };
    });
  }

  /** What has become of the sources of these facts, by fact_id; without a statement where none has any. */
  async see(reader: FactReader, facts: readonly FactRow[]): Promise<ReadonlyMap<string, FactSourceNow[]>> {
    const named = facts.filter(({ sources_digest }) => sources_digest !== null).map(({ fact_id }) => fact_id);
    const now = new Map<string, FactSourceNow[]>();
    if (named.length === 0) return now;
    await this.tenancy.run(reader.tenantId, async () => {
      const seen = await this.store.see(named, reader);
      const passages = seen.filter(({ kind }) => kind === 'passage');
      const states = await this.states.look(passages.map(passageOf));
      for (const source of seen) {
        const place = passages.indexOf(source);
        const shown = sourceNow(source, place === -1 ? undefined : states[place]);
        now.set(source.fact_id, [...(now.get(source.fact_id) ?? []), shown]);
      }
    });
    return now;
  }

  private async find(ids: readonly string[], reader: SourceReader): Promise<Map<string, FactSource>> {
    const passages = await this.answers.findChunks(ids);
    const others = Map.groupBy(await this.store.find(ids, reader), ({ id }) => id);
    const found = ids.map((id): [string, FactSource | undefined] => {
      const passage = passages.get(id);
      return [id, passage ? sourceOf(passage) : chosenSource(others.get(id) ?? [])];
    });
    return new Map(found.filter((entry): entry is [string, FactSource] => entry[1] !== undefined));
  }
}

const sourceOf = (chunk: VisibleChunk): FactSource => ({
  id: chunk.chunkId,
  kind: 'passage',
  version: chunk.docVersion,
  digest: chunk.contentHash,
  owner_tenant_id: chunk.ownerTenantId,
  corpus_id: chunk.corpusId,
  doc_id: chunk.docId,
});

const passageOf = ({ owner_tenant_id, corpus_id, doc_id, digest }: FactSource): PassageThen => ({
  ownerTenantId: owner_tenant_id!,
  corpusId: corpus_id!,
  docId: doc_id!,
  contentHash: digest as PassageThen['contentHash'],
});

const sourceMissing = (field: string): Error =>
  invalid(
    field,
    'must name what the tenant has and you may see: a passage (chunkId of a search), a document (corpusId/docId), a fact (fact_id), an answer (answerId), or a receipt (UUID of an execution receipt, blake3:<hex> of a retrieval receipt); or leave it out',
  );
