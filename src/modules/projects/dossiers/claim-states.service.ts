import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../common/ids/uuid-form.js';
import { AnswersService } from '../../knowledge/citations/answers.service.js';
import { SourceStatesService } from '../../knowledge/citations/source-states.service.js';
import type { PassageThen } from '../../knowledge/citations/source-states.types.js';
import { anchorNow, claimsNow } from './claim-states.rules.js';
import { AnchoredStore, type AnchoredFact, type Sight } from './anchored.store.js';
import type { Anchor, Anchored, AnchorKind, AnchorNow, Claim, ClaimNow, Contradiction } from './dossiers.types.js';

/** A passage as it was when a claim came to rest on it. */
export type AnchoredPassage = Pick<PassageThen, 'ownerTenantId' | 'corpusId' | 'docId' | 'contentHash'>;

/** What is held against the present: claims, and the passages among what they rest on, by id. */
export interface Judged {
  claims: readonly Claim[];
  contradictions: readonly Contradiction[];
  passages: ReadonlyMap<string, AnchoredPassage>;
}

/**
 * Says what is to be thought of claims now. Passages are judged by the service of what still holds, as everywhere.
 * Needs an open unit of work.
 */
@Injectable()
export class ClaimStatesService {
  constructor(
    private readonly store: AnchoredStore,
    private readonly sources: SourceStatesService,
    private readonly answers: AnswersService,
  ) {}

  /** In their order. */
  async look({ claims, contradictions, passages }: Judged, sight: Sight): Promise<ClaimNow[]> {
    const anchors = claims.flatMap((claim) => claim.anchors);
    const facts = await this.findFacts(anchors, sight);
    const others = new Map([
      ...(await this.findPassages(passages)),
      ...(await this.findWork(anchors)),
      ...(await this.findReceipts(anchors)),
    ]);
    const judged = new Map<Anchor, AnchorNow>();
    for (const anchor of anchors.filter(({ kind }) => !isFact(kind)))
      judged.set(anchor, anchorNow(anchor, others.get(nameOf(anchor))));
    await this.judgeFacts(
      anchors.filter(({ kind }) => isFact(kind)),
      { facts, sight },
      judged,
    );
    return claimsNow(
      claims,
      claims.map((claim) => claim.anchors.map((anchor) => judged.get(anchor)!)),
      contradictions,
    );
  }

  /** Where the passages among anchors are from; those that the tenant does not see are missing. */
  async locate(anchors: readonly Anchor[]): Promise<Map<string, AnchoredPassage>> {
    const chunks = await this.answers.findChunks(idsOf(anchors, 'chunk'));
    return new Map(
      [...chunks].map(([id, { ownerTenantId, corpusId, docId, contentHash }]) => [
        id,
        { ownerTenantId, corpusId, docId, contentHash },
      ]),
    );
  }

  /**
   * Anchors that name nothing that the tenant has, or has had, as far as who publishes them sees: the state of one that
   * quotes a fact would say what is in it.
   */
  async findUnknown(
    anchors: readonly Anchor[],
    passages: ReadonlyMap<string, AnchoredPassage>,
    sight: Sight,
  ): Promise<ReadonlySet<Anchor>> {
    const all = await this.findFacts(anchors, sight);
    const facts = new Map([...all].filter(([, { is_seen: isSeen }]) => isSeen));
    const known = new Map([...(await this.findWork(anchors)), ...(await this.findReceipts(anchors))]);
    return new Set(
      anchors.filter((anchor) => {
        if (anchor.kind === 'chunk') return !passages.has(anchor.id);
        if (isFact(anchor.kind)) return facts.get(anchor.id)?.is_layer !== (anchor.kind === 'layer');
        return !known.has(nameOf(anchor));
      }),
    );
  }

  /** Values are read some at a time, and not kept. */
  private async judgeFacts(
    anchors: readonly Anchor[],
    { facts, sight }: { facts: ReadonlyMap<string, AnchoredFact>; sight: Sight },
    judged: Map<Anchor, AnchorNow>,
  ): Promise<void> {
    const standing = [...facts.values()].filter((fact) => !fact.gone && fact.superseded_by === null);
    const rivals = Map.groupBy(
      await this.store.findRivals(
        standing.map(({ fact_id }) => fact_id),
        sight,
      ),
      (row) => row.fact_id,
    );
    const rivalsOf = (id: string): string[] => (rivals.get(id) ?? []).map(({ rival }) => rival);
    const byId = Map.groupBy(anchors, ({ id }) => id);
    for (const anchor of anchors) {
      const fact = facts.get(anchor.id);
      judged.set(anchor, anchorNow(anchor, fact && foundFact(fact, rivalsOf(anchor.id), undefined)));
    }
    const quoted = standing.filter(({ fact_id }) => byId.get(fact_id)!.some(hasPlace)).map(({ fact_id }) => fact_id);
    for await (const values of this.store.readValues(quoted))
      for (const { fact_id: id, value } of values)
        for (const anchor of byId.get(id)!)
          judged.set(anchor, anchorNow(anchor, foundFact(facts.get(id)!, rivalsOf(id), value)));
  }

  private async findFacts(anchors: readonly Anchor[], sight: Sight): Promise<Map<string, AnchoredFact>> {
    const ids = [...idsOf(anchors, 'fact'), ...idsOf(anchors, 'layer')].filter(isUuid);
    return new Map((await this.store.findFacts([...new Set(ids)], sight)).map((fact) => [fact.fact_id, fact]));
  }

  private async findPassages(passages: Judged['passages']): Promise<[string, Anchored][]> {
    const states = await this.sources.look([...passages.values()]);
    return [...passages].map(([id, { corpusId, docId }], place) => {
      const { state, standing } = states[place]!;
      const subject = `document ${corpusId}/${docId}`;
      const text = standing ? { text: standing.content } : {};
      return [nameOf({ kind: 'chunk', id }), { state, ...text, rivals: [], subject }];
    });
  }

  private async findWork(anchors: readonly Anchor[]): Promise<[string, Anchored][]> {
    const found = await this.store.findWork(idsOf(anchors, 'work'));
    return found.map(({ work_id: id, title, body }) => [
      nameOf({ kind: 'work', id }),
      { state: 'holds', text: `${title}\n\n${body}`, rivals: [], subject: `work ${id}` },
    ]);
  }

  private async findReceipts(anchors: readonly Anchor[]): Promise<[string, Anchored][]> {
    const ids = idsOf(anchors, 'receipt');
    const unknown = await this.store.findUnknownReceipts(ids);
    return ids
      .filter((id) => !unknown.has(id))
      .map((id) => [nameOf({ kind: 'receipt', id }), { state: 'holds', rivals: [], subject: `receipt ${id}` }]);
  }
}

const isFact = (kind: AnchorKind): boolean => kind === 'fact' || kind === 'layer';
const hasPlace = ({ start, quote_blake3: quote }: Anchor): boolean => start !== null || quote !== null;
const nameOf = ({ kind, id }: Pick<Anchor, 'kind' | 'id'>): string => `${kind}/${id}`;
const idsOf = (anchors: readonly Anchor[], kind: AnchorKind): string[] => [
  ...new Set(anchors.filter((anchor) => anchor.kind === kind).map(({ id }) => id)),
];

/** @param text undefined where it is not needed, or not read yet */
const foundFact = (fact: AnchoredFact, rivals: string[], text: string | undefined): Anchored => ({
  state: fact.gone ? 'unavailable' : fact.superseded_by === null ? 'holds' : 'drifted',
  rivals,
  subject: `${fact.entity} | ${fact.key}`,
  value: fact.value_digest,
  ...(text === undefined ? {} : { text }),
  ...(fact.superseded_by === null || fact.gone ? {} : { successor: fact.superseded_by }),
});
