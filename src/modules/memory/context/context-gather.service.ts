import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { analyzerFor } from '../../../search/analysis.js';
import { DEFAULT_LANGUAGE } from '../../../search/languages.js';
import { blake3Digest, namedDigest } from '../../../evidence/digest.js';
import { WorkListService } from '../../coordination/work/work-list.service.js';
import { LaneSearchService } from '../../knowledge/retrieval/lane-search.service.js';
import type { Passage } from '../../knowledge/retrieval/retrieval.types.js';
import { EffectiveLayersService } from '../../projects/layers/effective-layers.service.js';
import type { LayerText } from '../../projects/layers/layers.types.js';
import { ProjectUnknown } from '../../projects/projects/projects.problems.js';
import { CasesService } from '../cases/cases.service.js';
import { EngramReadsService } from '../engrams/engram-reads.service.js';
import { FactReadsService } from '../facts/fact-reads.service.js';
import { readerOf } from '../facts/facts.service.js';
import type { FactRow } from '../facts/facts.types.js';
import type { ContextRequest } from './context.dto.js';
import type { Candidate, ContextKind, Gathered, OmittedItem } from './context.types.js';
import { piecesOf } from './excerpts.rules.js';
import { caseText, factText, shareOf, workText } from './item-texts.rules.js';
import { worthOf } from './neighbours.rules.js';
import { asks, Asked, nameOf, worthOfPieces } from './relevance.rules.js';

/** Of each kind as many at most are looked at. */
const MAX_OF_KIND = { facts: 200, session: 20, cases: 10, engrams: 10, work: 100, passages: 50 } as const;
/** Characters that are analysed before other requests have their turn. */
const UNITS_A_TURN = 64 * 1024;
/** What of the board is open. */
const OPEN = ['in_progress', 'ready', 'blocked', 'in_review', 'backlog'] as const;

type Gather = (caller: DaemonCaller, tenantId: string, request: ContextRequest) => Promise<Gathered>;

/** Looks for what fits a task, kind by kind. */
@Injectable()
export class ContextGatherService {
  private readonly kinds: Readonly<Record<ContextKind, Gather>> = {
    facts: (caller, tenantId, request) => this.facts(caller, tenantId, request),
    cases: (_caller, tenantId, request) => this.cases(tenantId, request),
    engrams: (_caller, tenantId, request) => this.engrams(tenantId, request),
    layers: (caller, tenantId, request) => this.layers(caller, tenantId, request),
    work: (caller, tenantId, request) => this.work(caller, tenantId, request),
    passages: (_caller, tenantId, request) => this.passages(tenantId, request),
  };

  constructor(
    private readonly tenancy: Tenancy,
    private readonly factReads: FactReadsService,
    private readonly caseReads: CasesService,
    private readonly engramReads: EngramReadsService,
    private readonly layerReads: EffectiveLayersService,
    private readonly board: WorkListService,
    private readonly searches: LaneSearchService,
  ) {}

  /** Outside of any unit of work: searches read by statements of their own. */
  async gather(
    caller: DaemonCaller,
    tenantId: string,
    request: ContextRequest,
    kinds: readonly ContextKind[],
  ): Promise<Gathered> {
    const found = await Promise.all(kinds.map((kind) => this.kinds[kind](caller, tenantId, request)));
    return {
      candidates: found.flatMap(({ candidates }) => candidates),
      omitted: found.flatMap(({ omitted }) => omitted),
    };
  }

  /** Those that the task finds, what was stored next to these, and the latest of the session. */
  private async facts(caller: DaemonCaller, tenantId: string, { task, session_id }: ContextRequest): Promise<Gathered> {
    // Private facts of others stay private, as in session-init (0197): nobody asked for them.
    const reader = { ...readerOf(caller, tenantId), seesAll: false };
    const ranked = await this.factReads.rank(reader, { filter: {}, query: task, limit: MAX_OF_KIND.facts });
    const { neighbours, rows } = await this.factReads.findNeighbours(
      reader,
      ranked.map(({ fact }) => fact),
    );
    const asked = askedOf(task);
    const read = [...ranked.map(({ fact }) => fact), ...rows].map(
      ({ seq, entity, value }) =>
        [seq, { isQuestion: asks(value), factor: asked.factorFor(nameOf(entity), value) }] as const,
    );
    const worth = worthOf(
      ranked.map(({ fact: { seq: id }, score }) => ({ id, score })),
      neighbours.map(({ seq: id, ...place }) => ({ id, ...place })),
      new Map(read),
    );
    const filter = { entity: `session:${session_id}` };
    const latest =
      session_id === undefined ? [] : await this.factReads.best(reader, { filter, limit: MAX_OF_KIND.session });
    const known = new Set(read.map(([seq]) => seq));
    const score = ({ seq }: FactRow): number => worth.get(seq) ?? 0;
    const found = [
      ...ranked.map(({ fact: row }, place) => ({ row, score: score(row), why: `fact ${place + 1} for the task` })),
      ...rows.map((row) => ({ row, score: score(row), why: 'stored next to what was found for the task' })),
      ...latest
        .filter(({ seq }) => !known.has(seq))
        .map((row, place) => ({ row, score: rankScore(place), why: `of session ${session_id}` })),
    ];
    const isWhole = ({ row }: { row: FactRow }): boolean => !row.value_truncated;
    return {
      candidates: found.filter(isWhole).map(factItem),
      omitted: found.filter((one) => !isWhole(one)).map(({ row }) => cutFact(row)),
    };
  }

  private async cases(tenantId: string, { task }: ContextRequest): Promise<Gathered> {
    const wish = { task, top_k: MAX_OF_KIND.cases, only_success: false };
    const found = await this.caseReads.findFor(tenantId, wish);
    return just(
      found.map(({ row, score }, place) => ({
        ...{ kind: 'cases' as const, id: row.caseId, hash: row.contentHash, text: caseText(row), score },
        why: `case ${place + 1} for the task; it ${row.success ? 'went well' : 'failed'}`,
      })),
    );
  }

  private async engrams(tenantId: string, { task }: ContextRequest): Promise<Gathered> {
    const near = await this.engramReads.findNear(tenantId, task);
    const wanted = { task, near, limit: MAX_OF_KIND.engrams };
    const found = await this.tenancy.runOnSnapshot(tenantId, () => this.engramReads.findFor(wanted));
    return just(
      found.map(({ name, version, content, hash, why }, place) => ({
        ...{ kind: 'engrams' as const, id: `${name}@${version}`, hash, text: content, score: rankScore(place), why },
      })),
    );
  }

  /** Those that hold in the project, or in the workspace, and in the session. */
  private async layers(
    caller: DaemonCaller,
    tenantId: string,
    { project_id: projectId, session_id: sessionId }: ContextRequest,
  ): Promise<Gathered> {
    const find = async (within: string | undefined): Promise<Candidate[]> => {
      const wanted = { projectId: within, sessionId };
      return (await this.tenancy.run(tenantId, () => this.layerReads.find(caller, wanted))).map(layerItem);
    };
    try {
      return just(await find(projectId));
    } catch (error) {
      if (!(error instanceof ProjectUnknown)) throw error;
      return { candidates: await find(undefined), omitted: [unknownProject(projectId!)] };
    }
  }

  /** Open items, those whose words are the task's first. */
  private async work(caller: DaemonCaller, tenantId: string, request: ContextRequest): Promise<Gathered> {
    const words = new Set(analyzerFor(DEFAULT_LANGUAGE).analyze(request.task));
    const candidates: Candidate[] = [];
    let units = 0;
    for (const state of OPEN) {
      const query = { source: 'kanban', limit: MAX_OF_KIND.work, state, tenant_id: tenantId } as const;
      const project = request.project_id === undefined ? {} : { project_id: request.project_id };
      const { work } = await this.board.list(caller, { ...query, ...project });
      for (const item of work) {
        units += item.body.length;
        if (units > UNITS_A_TURN) {
          await nextTurn();
          units = 0;
        }
        const share = shareOf(words, analyzerFor(DEFAULT_LANGUAGE).analyze(`${item.title}\n${item.body}`));
        if (share === 0 && request.project_id === undefined) continue;
        const text = workText(item);
        candidates.push({
          ...{ kind: 'work', id: item.work_id, hash: blake3Digest(text), text, score: 0.1 + share },
          why: share > 0 ? `open work (${state}) with words of the task` : `open work (${state}) of the project`,
        });
      }
    }
    return just(candidates);
  }

  /** Passages of the tenant's own documents, each checked against its digest, in pieces. */
  private async passages(tenantId: string, { task }: ContextRequest): Promise<Gathered> {
    const search = { query: task, corpusIds: [], includeCommons: false, limit: MAX_OF_KIND.passages };
    const { passages } = await this.searches.search(tenantId, search, 'verified');
    const spans = passages.map(({ content }) => piecesOf(content));
    const worth = worthOfPieces(
      askedOf(task),
      passages.map(({ score, content }, place) => ({
        score,
        pieces: spans[place]!.map(({ start, end }) => content.slice(start, end)),
      })),
    );
    return just(
      passages.map((passage, place) => ({
        ...{ kind: 'passages' as const, id: passage.chunkId, hash: namedDigest('blake3', passage.contentHash) },
        ...{ text: passage.content, score: passage.score, why: `passage ${place + 1} for the task` },
        citation: placeOf(passage),
        pieces: spans[place]!.map((span, at) => ({ ...span, worth: worth[place]![at]! })),
      })),
    );
  }
}

const askedOf = (task: string): Asked => new Asked(analyzerFor(DEFAULT_LANGUAGE), task);

const placeOf = ({ corpusId, docId, version, title, url }: Passage): NonNullable<Candidate['citation']> => ({
  ...{ corpus_id: corpusId, doc_id: docId, doc_version: version, title, url },
});

const just = (candidates: Candidate[]): Gathered => ({ candidates, omitted: [] });

/** Of what is ranked without a score that is shown. */
const rankScore = (place: number): number => 1 / (1 + place / 10);

function factItem({ row, score, why }: { row: FactRow; score: number; why: string }): Candidate {
  const text = factText(row);
  return { kind: 'facts', id: row.fact_id, hash: blake3Digest(text), text, score, why };
}

const cutFact = ({ fact_id, tokens }: FactRow): OmittedItem => ({
  ...{ kind: 'facts', id: fact_id, tokens, reason: 'not_whole' },
  detail: 'its value is too large to be read with others; GET /v1/facts/{fact_id} has it',
});

const layerItem = ({ layer, origin, fact, hash }: LayerText, place: number): Candidate => ({
  ...{ kind: 'layers', id: fact.fact_id, hash, text: fact.value, score: rankScore(place) },
  why: `layer ${layer} of the ${origin}`,
});

/** Work may be of a project that nobody has created. */
const unknownProject = (projectId: string): OmittedItem => ({
  ...{ kind: 'layers', id: projectId, reason: 'unknown' },
  detail: 'there is no such project; the layers are those of the workspace',
});
