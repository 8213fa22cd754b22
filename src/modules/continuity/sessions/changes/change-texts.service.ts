import { Injectable } from '@nestjs/common';
import { PassagePlacesService, type WantedPlace } from '../../../knowledge/passages/passage-places.service.js';
import type { NamedPassage, ReadablePassage } from '../../../knowledge/passages/passages.types.js';
import { ReadablePassagesViews } from '../../../knowledge/passages/readable-passages.views.js';
import type { WatchAlert } from '../../watches/watch-alerts.dto.js';
import type { ChangedText } from './changes.dto.js';
import type { FailedPassage } from './changes.types.js';
import { ChangesViews } from './changes.views.js';

/** A passage that an alert names, and the alert. */
interface Named extends Pick<FailedPassage, 'chunkId' | 'corpusId' | 'docId' | 'title' | 'url'> {
  alert: WatchAlert;
}

/** Finds the texts that alerts are about, before and now. Needs an open unit of work. */
@Injectable()
export class ChangeTextsService {
  constructor(
    private readonly changes: ChangesViews,
    private readonly passages: ReadablePassagesViews,
    private readonly places: PassagePlacesService,
  ) {}

  /** By alertId, in the order of the alert's passages. */
  async find(alerts: readonly WatchAlert[]): Promise<Map<string, ChangedText[]>> {
    const named = await this.passagesOf(alerts);
    const read = await this.passages.find(named.map(({ chunkId }) => chunkId));
    const wanted = named.map(({ chunkId, alert }) => wantedPlace(read.get(chunkId), alert));
    const found = await this.places.find(wanted.filter((one) => one !== undefined));
    const others = wanted.map((one) => (one === undefined ? null : found.shift()!));
    const texts = named.map((one, index) => textOf(one, read.get(one.chunkId), others[index]!));
    const byAlert = Map.groupBy(named.keys(), (index) => named[index]!.alert.alertId);
    return new Map([...byAlert].map(([alertId, places]) => [alertId, places.map((place) => texts[place]!)]));
  }

  /** An alert by a proof names none itself. */
  private async passagesOf(alerts: readonly WatchAlert[]): Promise<Named[]> {
    const byProof = alerts.filter(({ proofJobId, passages }) => proofJobId !== null && passages.length === 0);
    const jobIds = new Set(byProof.map(({ proofJobId }) => proofJobId!));
    const failed = Map.groupBy(await this.changes.findFailed([...jobIds]), ({ jobId }) => jobId);
    return alerts.flatMap((alert) => {
      const passages = alert.passages.length > 0 ? alert.passages : (failed.get(alert.proofJobId ?? '') ?? []);
      return passages.map((passage) => ({ ...passage, alert }));
    });
  }
}

/** Of a new version the alert names the passages now, else those before. */
function wantedPlace(passage: ReadablePassage | undefined, { change, from }: WatchAlert): WantedPlace | undefined {
  if (!passage || change === 'new_match' || change === 'deleted') return undefined;
  if (change === 'drifted') return { passage, version: null };
  return from === null ? undefined : { passage, version: from };
}

function textOf(named: Named, passage: ReadablePassage | undefined, other: NamedPassage | null): ChangedText {
  const { chunkId, corpusId, docId, title = null, url = null, alert } = named;
  const one = { chunkId, content: passage?.content ?? null };
  const nothing = { chunkId: null, content: null };
  const isNow = alert.change === 'new_version' || alert.change === 'new_match';
  const [before, now] = isNow ? [other ?? nothing, one] : [one, other ?? nothing];
  const seen = passage ?? { title, url };
  return {
    ...{ chunkId: before.chunkId, newChunkId: now.chunkId, corpusId, docId, title: seen.title, url: seen.url },
    ...{ oldText: before.content, newText: now.content },
  };
}
