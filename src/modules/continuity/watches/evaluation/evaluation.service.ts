import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import { namedDigest } from '../../../../evidence/digest.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import { Outbox } from '../../../../common/outbox/outbox.js';
import { lockToCopy } from '../../../../common/tenancy/copied-texts.js';
import { CrossTenant } from '../../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { JournalService } from '../../sessions/journal/journal.service.js';
import type { Passage } from '../../../knowledge/retrieval/retrieval.types.js';
import { WatchTargetsService } from '../watch-targets.service.js';
import { PresentDocumentsViews, type PresentDocument } from '../../../knowledge/citations/present-documents.views.js';
import { SourceStatesService } from '../../../knowledge/citations/source-states.service.js';
import type { PassageNow } from '../../../knowledge/citations/source-states.types.js';
import { passageKey, passageOf, stateAfter } from '../watches.rules.js';
import { WatchesStore } from '../watches.store.js';
import type { Alert, EvaluationTask } from '../watches.types.js';
import {
  judgeDocument,
  judgePassages,
  judgeProofs,
  latestRecording,
  versionOf,
  matchesOf,
  newAnswer,
  newMatches,
  type Match,
  type Verdict,
  withdrawalsOf,
} from './evaluation.rules.js';
import { EvaluationStore, findOccurrences } from './evaluation.store.js';
import type { Candidate, Occurrence, PlacedSource } from './evaluation.types.js';

/** What is known when watches are judged. */
interface Scene {
  tenantId: string;
  occurrences: readonly Occurrence[];
  present: ReadonlyMap<string, PresentDocument>;
  passages: ReadonlyMap<PlacedSource, PassageNow>;
  /** By watch: what its query finds now. */
  found: ReadonlyMap<string, Match[]>;
}

/**
 * Looks at the watches that events may concern. Everything a look finds is one transaction, and an event alerts a watch
 * once: so a job may run twice, or concurrently with another, with one effect.
 */
@Injectable()
export class EvaluationService {
  private readonly alerts;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    private readonly store: EvaluationStore,
    private readonly watches: WatchesStore,
    private readonly targets: WatchTargetsService,
    private readonly documents: PresentDocumentsViews,
    private readonly states: SourceStatesService,
    private readonly journal: JournalService,
    private readonly outbox: Outbox,
    metrics: Metrics,
  ) {
    this.alerts = metrics.counter('svc_watch_alerts_total', 'Alerts of watches, by what changed.', ['change']);
  }

  async evaluate(task: EvaluationTask): Promise<void> {
    const { tenantId } = task;
    const before = await this.crossTenant.run('watch evaluation', (query) => findOccurrences(query, task));
    const candidates = await this.tenancy.run(tenantId, () => this.store.findCandidates(before, false));
    const searched = await this.search(tenantId, candidates, before);
    await this.tenancy.run(tenantId, async () => {
      await lockToCopy(this.tenancy);
      const occurrences = await this.store.keepPresent(before);
      const found = await this.keepStanding(searched);
      const locked = await this.store.findCandidates(occurrences, true);
      const present = await this.documents.findPresent(locked.flatMap(({ sources }) => sources));
      const passages = await this.look(locked);
      for (const watch of locked) {
        await this.settle(watch, {
          tenantId,
          occurrences: withdrawalsOf(watch, occurrences),
          present,
          passages,
          found,
        });
      }
    });
  }

  /** What has become of the passages that these watches stand on. */
  private async look(watches: readonly Candidate[]): Promise<Map<PlacedSource, PassageNow>> {
    const sources = watches.flatMap((watch) => watch.sources).filter(({ contentHash }) => contentHash !== null);
    const passages = await this.states.look(sources.map(passageOf));
    return new Map(sources.map((source, index) => [source, passages[index]!]));
  }

  /** Without the passages that are gone since they were found. */
  private async keepStanding(found: ReadonlyMap<string, Match[]>): Promise<Map<string, Match[]>> {
    const matches = [...found.values()].flat();
    const passages = await this.states.look(
      matches.map(({ ownerTenantId, corpusId, docId, contentHash }) => ({
        ownerTenantId,
        corpusId,
        docId,
        contentHash,
      })),
    );
    const standing = new Set(matches.filter((_match, index) => passages[index]!.standing));
    return new Map([...found].map(([watchId, of]) => [watchId, of.filter((match) => standing.has(match))]));
  }

  /**
   * Searches come before the transaction, which would hold a connection meanwhile: once a watch, however many documents
   * have changed.
   */
  private async search(
    tenantId: string,
    candidates: readonly Candidate[],
    occurrences: readonly Occurrence[],
  ): Promise<Map<string, Match[]>> {
    const corpora = new Set(
      occurrences
        .filter(({ kind }) => kind === 'document.indexed' || kind === 'entitlement.granted')
        .map(({ data }) => data.corpusId as string),
    );
    const found = new Map<string, Match[]>();
    if (corpora.size === 0) return found;
    for (const { watchId, query } of candidates) {
      if (!query || (query.corpusIds.length > 0 && !query.corpusIds.some((corpus) => corpora.has(corpus)))) continue;
      found.set(watchId, (await this.targets.searchAs(tenantId, query)).map(matchOf));
    }
    return found;
  }

  private async settle(watch: Candidate, scene: Scene): Promise<void> {
    const alerts = [...(await this.judge(watch, scene)), ...judgeProofs(watch, scene.occurrences)];
    for (const alert of alerts) await this.raise(watch, alert);
  }

  private async judge(watch: Candidate, scene: Scene): Promise<Alert[]> {
    const { tenantId, occurrences, passages } = scene;
    switch (watch.resolvedType) {
      case 'document':
        return this.keep(watch, judgeDocument(watch, occurrences, scene));
      case 'chunk':
        return this.keep(watch, judgePassages(watch, occurrences, passages));
      case 'answer': {
        const alerts = await this.keep(watch, judgePassages(watch, occurrences, passages));
        return [...alerts, ...(await this.judgeRecording(watch, occurrences))];
      }
      case 'query':
        return this.judgeQuery(
          watch,
          matchesOf(watch, occurrences, { tenantId, found: scene.found.get(watch.watchId) ?? [] }),
        );
    }
  }

  private async keep({ watchId }: Candidate, { alerts, targetVersion, sources }: Verdict): Promise<Alert[]> {
    await this.store.move(watchId, targetVersion, sources);
    return alerts;
  }

  /** From now on the watch stands on what the new version cites. */
  private async judgeRecording(watch: Candidate, occurrences: readonly Occurrence[]): Promise<Alert[]> {
    const recording = latestRecording(watch, occurrences);
    const version = recording && versionOf(recording);
    if (!version) return [];
    // A newer one has an event of its own.
    const answer = await this.targets.sourcesOfAnswer(watch.targetId, version);
    if (!answer) return [];
    await this.store.removeSources(watch.watchId);
    await this.watches.recordSources(watch.watchId, answer.sources);
    await this.store.move(watch.watchId, answer.version, []);
    return [newAnswer(recording, watch.targetVersion)];
  }

  private async judgeQuery({ watchId }: Candidate, matches: ReadonlyMap<Occurrence, Match[]>): Promise<Alert[]> {
    const alerts: Alert[] = [];
    for (const [occurrence, found] of matches) {
      const fresh = await this.watches.recordSeen(
        watchId,
        found.map(({ key }) => key),
      );
      const untold = found.filter(({ key }) => fresh.some((one) => one.equals(key)));
      if (untold.length > 0) alerts.push(newMatches(occurrence, untold));
    }
    return alerts;
  }

  private async raise(watch: Candidate, alert: Alert): Promise<void> {
    const { watchId, agentId, targetType, targetId, note } = watch;
    const alertId = uuid();
    if (!(await this.store.recordAlert(watchId, alertId, alert))) return;
    const { eventId: _event, occurredAt, change, ...details } = alert;
    const state = stateAfter(alert);
    const data = { alertId, watchId, agentId, targetType, targetId, change, state, ...details, note, occurredAt };
    this.outbox.emit({ kind: 'watch.alert', subject: watchId, data });
    const severity = change === 'deleted' || change === 'drifted' ? 'warning' : 'info';
    await this.journal.append(agentId, {
      type: 'watch_alert',
      subject: watchId,
      data: { watchId, alertId, targetType, targetId, change, severity, details: { ...details, note } },
      source: 'watches',
      eventId: `watch:${alertId}`,
      occurredAt,
    });
    this.tenancy.afterCommit(() => this.alerts.inc({ change }));
  }
}

function matchOf(passage: Passage): Match {
  const { chunkId, ownerTenantId, corpusId, docId, version, title, url, score, contentHash } = passage;
  const key = passageKey(passage);
  return {
    key,
    ownerTenantId,
    chunkId,
    corpusId,
    docId,
    version,
    title,
    url,
    score,
    contentHash: namedDigest('blake3', contentHash),
  };
}
