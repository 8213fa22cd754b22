import { Injectable } from '@nestjs/common';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { AnswersService } from '../../knowledge/citations/answers.service.js';
import type { VisibleChunk } from '../../knowledge/citations/citations.types.js';
import { SourceStatesService } from '../../knowledge/citations/source-states.service.js';
import { LaneSearchService } from '../../knowledge/retrieval/lane-search.service.js';
import type { Passage } from '../../knowledge/retrieval/retrieval.types.js';
import type { WatchSource } from './watch-source.entity.js';
import { WatchNames } from './watch-names.js';
import { WatchTargetsStore } from './watch-targets.store.js';
import type { Watch } from './watch.entity.js';
import type { WatchRequest } from './watches.dto.js';
import { WatchTargetUnknown } from './watches.problems.js';
import { nameOfQuery, targetTypeOf, watchedQueryOf } from './watches.rules.js';
import type { TargetType, WatchedQuery } from './watches.types.js';

/** What a request wants watched, and what that stands on now. */
export interface FoundTarget extends Pick<
  Watch,
  'targetType' | 'targetId' | 'resolvedType' | 'targetVersion' | 'query'
> {
  sources: WatchSource[];
}

/** Finds what is to be watched. Needs an open unit of work. */
@Injectable()
export class WatchTargetsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly answers: AnswersService,
    private readonly searches: LaneSearchService,
    private readonly store: WatchTargetsStore,
    private readonly states: SourceStatesService,
    private readonly names: WatchNames,
  ) {}

  /** @throws ValidationFailed where the members do not fit the type; WatchTargetUnknown naming body.targetId */
  async read({ targetType: written, targetId, query }: WatchRequest): Promise<FoundTarget> {
    const targetType = targetTypeOf(written);
    if (targetType === 'query') {
      if (!query) throw invalid('body.query', 'is needed where targetType is query');
      const watched = watchedQueryOf(query);
      const id = targetId ?? nameOfQuery(watched, this.names.keyOf(this.tenancy.tenant));
      return { targetType, targetId: id, resolvedType: 'query', targetVersion: null, query: watched, sources: [] };
    }
    if (query) throw invalid('body.query', 'is for targetType query alone');
    if (targetId === undefined) throw invalid('body.targetId', `is needed where targetType is ${written}`);
    const found = await this.find(targetType, targetId);
    if (found) return { targetType, targetId, query: null, ...found };
    const message = `names no ${targetType} that this tenant can see${HINTS[targetType]}`;
    throw new WatchTargetUnknown({ issues: [{ path: 'body.targetId', message }] }, `body.targetId ${message}`);
  }

  /** The passages that a version of an answer cites, each with whether it still stands; without one the newest. */
  async sourcesOfAnswer(
    answerId: string,
    version?: number,
  ): Promise<{ version: number; sources: WatchSource[] } | undefined> {
    const found =
      version === undefined
        ? await this.answers.findAnswer(answerId)
        : await this.answers.findAnswerVersion(answerId, version);
    if (!found) return undefined;
    const sources = await this.sourcesOf(found.citations.map(({ chunk }) => chunk));
    return { version: found.answer.version, sources };
  }

  /** What answers a query now, best first. */
  async search(query: WatchedQuery): Promise<Passage[]> {
    return this.searchAs(this.tenancy.tenant, query);
  }

  /** The same outside of a unit of work. */
  async searchAs(
    tenantId: string,
    { query, corpusIds, includeCommons, limit, minScore }: WatchedQuery,
  ): Promise<Passage[]> {
    const { passages } = await this.searches.search(tenantId, { query, corpusIds, includeCommons, limit }, 'light');
    return passages.filter(({ score }) => minScore === null || score >= minScore);
  }

  private async find(
    targetType: TargetType,
    targetId: string,
  ): Promise<Pick<FoundTarget, 'resolvedType' | 'targetVersion' | 'sources'> | undefined> {
    if (targetType !== 'document') {
      const answer = await this.sourcesOfAnswer(targetId);
      if (answer) return { resolvedType: 'answer', targetVersion: answer.version, sources: answer.sources };
    }
    if (targetType === 'answer') return undefined;
    if (targetType === 'artifact') {
      const chunk = (await this.answers.findChunks([targetId])).get(targetId);
      if (chunk) return { resolvedType: 'chunk', targetVersion: null, sources: await this.sourcesOf([chunk]) };
    }
    const document = await this.store.findDocument(targetId);
    if (!document) return undefined;
    const source = { ...document, chunkId: null, contentHash: null, stands: true };
    return { resolvedType: 'document', targetVersion: document.version, sources: [source] };
  }

  private async sourcesOf(chunks: readonly VisibleChunk[]): Promise<WatchSource[]> {
    const once = [...new Map(chunks.map((chunk) => [chunk.chunkId, chunk])).values()];
    const now = await this.states.look(once);
    return once.map(({ ownerTenantId, corpusId, docId, chunkId, contentHash, docVersion }, index) => {
      const hash = contentHash.slice(contentHash.indexOf(':') + 1);
      const stands = now[index]!.state === 'holds';
      return { ownerTenantId, corpusId, docId, chunkId, contentHash: hash, version: docVersion, stands };
    });
  }
}

const HINTS: Record<Exclude<TargetType, 'query'>, string> = {
  answer: '; POST /v1/citations records one',
  artifact: ': it is an answerId, a chunkId or corpusId/docId',
  document: ' in search; it is written corpusId/docId',
};
