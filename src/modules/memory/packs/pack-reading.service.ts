import { Injectable } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { readAs } from '../../../common/fields/contract.pipe.js';
import { readEach } from '../../../common/fields/read-each.js';
import { invalid } from '../../../common/problem/common-problems.js';
import type { ImportedSession, ImportedStep } from '../../governance/observe/observe.types.js';
import type { ImportedCandidate } from '../candidates/candidate-imports.service.js';
import type { Evidence } from '../candidates/candidates.types.js';
import { type ImportedCase, resultOf } from '../cases/case-imports.service.js';
import type { ImportedEngram } from '../engrams/engram-imports.service.js';
import { FactImportsService } from '../facts/fact-imports.service.js';
import type { FactDraft } from '../facts/facts.types.js';
import { ImportedEdge, ImportedEntity } from '../graph/graph-imports.service.js';
import { KindRules } from '../graph/kind-rules.service.js';
import {
  PackDocument,
  PackEngram,
  PackEngramVersion,
  PackFact,
  PackRelation,
  PackSession,
  PackStep,
} from './pack-entries.dto.js';
import {
  checkCandidate,
  checkFact,
  checkLabels,
  checkSteps,
  Names,
  Principals,
  Versions,
} from './pack-reading.rules.js';
import { PackCandidate, PackCase } from './pack-proposals.dto.js';
import { PackScreen } from './pack-screen.js';
import type { PackCaller, PreparedPack, ScreenedPlace } from './packs.types.js';

const WHERE = 'body.pack';
const ENGRAM = 'engram';
/** Items that are screened together. */
const AT_ONCE = 500;

/** An item of a list, with its secrets masked, and where in it they stood. */
interface Entry<T> {
  item: T;
  path: string;
  screened: ScreenedPlace[];
}

/** Reads a pack: everything is checked and masked before the first of it is stored. */
@Injectable()
export class PackReadingService {
  constructor(
    private readonly facts: FactImportsService,
    private readonly screen: PackScreen,
    private readonly kinds: KindRules,
  ) {}

  /** The pack but for its lists. @throws ValidationFailed */
  readDocument(pack: Record<string, unknown>): PackDocument {
    return readAs(PackDocument, pack, WHERE);
  }

  /** @throws ValidationFailed, PrincipalNotYours, naming the entry */
  async read(caller: PackCaller, pack: PackDocument, map: Record<string, unknown>): Promise<PreparedPack> {
    const principals = new Principals(caller, map, pack.principals ?? []);
    const count: ScreenedPlace[] = [];
    return {
      facts: await this.readFacts(caller, pack.facts, principals, count),
      sessions: await this.readSessions(pack.sessions, principals, count),
      entities: await this.readEntities(pack.entities, count),
      edges: await this.readNamed(ImportedEdge, 'edges', pack.edges, count, (edge) => [
        ...[edge.from_kind, edge.from_id, edge.edge_kind, edge.to_kind, edge.to_id],
      ]),
      relations: await this.readRelations(pack.relations, count),
      engrams: await this.readEngrams(pack.engrams, count),
      cases: await this.readCases(caller, pack.cases, principals, count),
      candidates: await this.readCandidates(caller, pack.candidates, principals, count),
      screened: count,
    };
  }

  private async readFacts(caller: PackCaller, list: unknown[] = [], principals: Principals, count: ScreenedPlace[]) {
    const drafts: FactDraft[] = [];
    const versions = new Versions();
    for await (const { item: fact, path } of this.entries(PackFact, 'facts', list, count)) {
      checkFact(fact, path);
      const { owner, ...rest } = fact;
      const holder = owner === undefined ? undefined : principals.ownerOf(owner, `${path}.owner`);
      const actor = rest.actor === undefined ? {} : { actor: principals.nameOf(rest.actor) };
      const draft = await this.facts.draft(caller, { ...rest, ...actor }, path, holder);
      versions.take([draft.owner, draft.entity, draft.key], path, draft.valid_from !== undefined);
      drafts.push(draft);
    }
    return drafts;
  }

  private async readSessions(list: unknown[] = [], principals: Principals, count: ScreenedPlace[]) {
    const sessions: ImportedSession[] = [];
    const names = new Names();
    for await (const { item, path } of this.entries(PackSession, 'sessions', list, count)) {
      names.take([item.session_id], `${path}.session_id`);
      const steps: PackStep[] = [];
      for await (const { item: step } of readEach(PackStep, item.steps ?? [], `${path}.steps`)) steps.push(step);
      checkSteps({ ...item, steps }, path);
      const mapped = steps.map((step, index) => stepOf(step, principals, `${path}.steps[${index}]`));
      sessions.push({ ...item, opened_by: principals.nameOf(item.opened_by), steps: mapped });
    }
    return sessions;
  }

  private async readEntities(list: unknown[] | undefined, count: ScreenedPlace[]): Promise<ImportedEntity[]> {
    const entities = await this.readNamed(ImportedEntity, 'entities', list, count, ({ kind, id }) => [kind, id]);
    const engram = entities.findIndex(({ kind }) => kind === ENGRAM);
    if (engram >= 0)
      throw invalid(`${WHERE}.entities[${engram}].kind`, 'must not be engram: engrams have a list of their own');
    return entities;
  }

  private async readEngrams(list: unknown[] = [], count: ScreenedPlace[]): Promise<ImportedEngram[]> {
    const engrams: ImportedEngram[] = [];
    const names = new Names();
    for await (const { item, index } of readEach(PackEngram, list, `${WHERE}.engrams`)) {
      const path = `${WHERE}.engrams[${index}]`;
      names.take([item.name], path);
      const versions: { payload: unknown; labels: string[]; path: string }[] = [];
      for await (const earlier of readEach(PackEngramVersion, item.earlier ?? [], `${path}.earlier`))
        versions.push({ ...earlier.item, path: `${path}.earlier[${earlier.index}]` });
      versions.push({ payload: item.payload, labels: item.labels, path });
      checkLabels(versions);
      for (const version of versions) version.payload = await this.readEngram(item.name, version, path, count);
      engrams.push({ name: item.name, versions: versions.map(({ payload, labels }) => ({ payload, labels })) });
    }
    return engrams;
  }

  /** A payload as PUT /v1/entities/engram/{name} would store it. */
  private async readEngram(
    name: string,
    { payload: given, path }: { payload: unknown; path: string },
    of: string,
    count: ScreenedPlace[],
  ): Promise<unknown> {
    const payload = await this.kinds.prepare(ENGRAM, name, given, `${path}.payload`, `${of}.name`);
    const found = screenedIn(payload);
    count.push(...found.map((secret) => ({ ...secret, member: `${path}.payload.${secret.member}` })));
    const before = screenedIn(given).filter(isPlaceOfEngram);
    return before.length === 0 ? payload : { ...(payload as object), screened: [...before, ...found] };
  }

  private async readCases(by: PackCaller, list: unknown[] | undefined, principals: Principals, count: ScreenedPlace[]) {
    const cases: ImportedCase[] = [];
    const names = new Names();
    for await (const { item, path, screened } of this.entries(PackCase, 'cases', list ?? [], count)) {
      if (item.case_id !== undefined) names.take([item.case_id], `${path}.case_id`);
      cases.push(caseOf({ ...item, screened: [...(item.screened ?? []), ...screened] }, by, principals));
    }
    return cases;
  }

  private async readCandidates(
    by: PackCaller,
    list: unknown[] | undefined,
    principals: Principals,
    count: ScreenedPlace[],
  ) {
    const candidates: ImportedCandidate[] = [];
    const names = new Names();
    for await (const { item, path, screened } of this.entries(PackCandidate, 'candidates', list ?? [], count)) {
      if (item.candidate_id !== undefined) names.take([item.candidate_id], `${path}.candidate_id`);
      checkCandidate(item, path);
      const places = screened.map(({ member: _, ...place }) => place);
      candidates.push(candidateOf({ ...item, screened: [...(item.screened ?? []), ...places] }, by, principals));
    }
    return candidates;
  }

  private async readRelations(list: unknown[] | undefined, count: ScreenedPlace[]): Promise<PackRelation[]> {
    const relations = await this.readNamed(PackRelation, 'relations', list, count, ({ from_id, to_id, edge_type }) => [
      ...[from_id, edge_type, to_id],
    ]);
    for (const [index, { created_at_micros: created, updated_at_micros: updated }] of relations.entries())
      if (created !== undefined && updated !== undefined && updated < created)
        throw invalid(`${WHERE}.relations[${index}].updated_at_micros`, 'must not be before created_at_micros');
    return relations;
  }

  private async readNamed<T extends object>(
    target: Type<T>,
    list: string,
    items: unknown[] = [],
    count: ScreenedPlace[],
    nameOf: (item: T) => (string | number)[],
  ): Promise<T[]> {
    const read: T[] = [];
    const names = new Names();
    for await (const { item, path } of this.entries(target, list, items, count)) {
      names.take(nameOf(item), path);
      read.push(item);
    }
    return read;
  }

  /** What names an entry is not masked: it would be another one. */
  private async *entries<T extends object>(
    target: Type<T>,
    list: string,
    items: readonly unknown[],
    count: ScreenedPlace[],
  ): AsyncGenerator<Entry<T>> {
    for (let from = 0; from < items.length; from += AT_ONCE) {
      const entries: Omit<Entry<T>, 'screened'>[] = [];
      const part = items.slice(from, from + AT_ONCE);
      for await (const { item, index } of readEach(target, part, `${WHERE}.${list}`, from))
        entries.push({ item, path: `${WHERE}.${list}[${from + index}]` });
      const contents = entries.map(({ item }) => contentOf(item));
      const masked = await this.screen.mask(contents);
      for (const [place, { item, path }] of entries.entries()) {
        const { value, screened } = masked[place]!;
        count.push(...screened.map((secret) => ({ ...secret, member: `${path}.${secret.member}` })));
        yield { item: Object.assign(item, value), path, screened };
      }
    }
  }
}

/** The members of an entry that may hold anything. */
const CONTENT = ['value', 'payload', 'steps', 'task', 'action', 'outcome', 'context', 'lesson', 'tags', 'evidence'];

const contentOf = (item: object): object =>
  Object.fromEntries(Object.entries(item).filter(([name]) => CONTENT.includes(name)));

const caseOf = ({ lesson, ...item }: PackCase, by: PackCaller, principals: Principals): ImportedCase => ({
  ...item,
  ...resultOf(item),
  screened: item.screened ?? [],
  lesson: lesson ?? null,
  recorded_by: item.recorded_by === undefined ? by.principal : principals.nameOf(item.recorded_by),
  created_at: item.created_at ?? new Date().toISOString(),
});

const candidateOf = (item: PackCandidate, by: PackCaller, principals: Principals): ImportedCandidate => ({
  ...item,
  extractor: item.extractor ?? { name: 'import', version: '1' },
  evidence: (item.evidence ?? []) as Evidence[],
  screened: item.screened ?? [],
  session_id: item.session_id ?? null,
  session_date: item.session_date ?? null,
  created_by: item.created_by === undefined ? by.principal : principals.nameOf(item.created_by),
  created_at: item.created_at ?? new Date().toISOString(),
});

function stepOf(step: PackStep, principals: Principals, path: string): ImportedStep {
  const owner = step.private ? principals.ownerOf(step.owner, `${path}.owner`) : principals.nameOf(step.owner);
  return {
    ...step,
    ...{ owner, actor: principals.nameOf(step.actor) },
    inputs: (step.inputs ?? []) as ImportedStep['inputs'],
    outputs: (step.outputs ?? null) as ImportedStep['outputs'],
  };
}

/** As a kept engram has them in `screened`. */
function screenedIn(payload: unknown): ScreenedPlace[] {
  const { screened } = (payload ?? {}) as { screened?: unknown };
  return Array.isArray(screened) ? (screened as ScreenedPlace[]) : [];
}

const isPlaceOfEngram = ({ member, kind, start, end, ...rest }: ScreenedPlace): boolean =>
  ['content', 'description'].includes(member) &&
  /^[a-z0-9-]{1,64}$/.test(kind) &&
  Number.isInteger(start) &&
  Number.isInteger(end) &&
  Object.keys(rest).length === 0;
