import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { digestOfVersion } from '../../../common/evidence-log/set-aside.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import type { Digest } from '../../../evidence/digest.js';
import { buildSegment } from '../../../search/segment.js';
import { IndexingService } from '../retrieval/indexing.service.js';
import { indexedChunk } from './analysis/indexed-chunk.js';
import { ChunksStore } from './chunks.store.js';
import {
  DocumentQuarantineStore,
  type NamedDocument,
  type QuarantinedVersion,
  type RestoredChunk,
} from './document-quarantine.store.js';
import { shardChangesOf } from './ingest-indexing.rules.js';
import { returnedEvent, withdrawnEvent } from './ingest.events.js';
import { documentKey } from './ingest.rules.js';

/** Documents whose passages are indexed again in one go. */
const MAX_SLICE = 100;

/**
 * Sets documents aside and brings them back. One that is set aside leaves the index as a deleted one does, and keeps
 * its version: a text that is accepted later replaces it as ever. Needs an open unit of work, in which it all happens.
 */
@Injectable()
export class DocumentQuarantineService {
  constructor(
    private readonly store: DocumentQuarantineStore,
    private readonly chunks: ChunksStore,
    private readonly indexing: IndexingService,
    private readonly outbox: Outbox,
  ) {}

  /** @returns how receipts name those that were found before */
  async setAside(actor: string, documents: readonly NamedDocument[]): Promise<Digest[]> {
    const held = await this.store.setAside(documents);
    const retired = await this.chunks.retire(held);
    for (const { shard, withdrawn } of shardChangesOf(retired, [], [])) await this.indexing.withdraw(shard, withdrawn);
    this.outbox.emitMany(
      held.map(({ corpusId, docId, version }) =>
        withdrawnEvent({ corpusId, docId, version, actor, quarantined: true }),
      ),
    );
    const chunks = Map.groupBy(
      retired.flatMap(({ shard: { corpusId }, chunks: some }) => some.map((chunk) => ({ corpusId, ...chunk }))),
      documentKey,
    );
    return held.map((version) => digestOf(version, chunks.get(documentKey(version))));
  }

  /** @returns how receipts name those that are found again; one that was replaced or deleted meanwhile stays so */
  async bringBack(documents: readonly NamedDocument[]): Promise<Digest[]> {
    const back = await this.store.bringBack(documents);
    const shards = Map.groupBy(back, ({ corpusId, shareability }) => JSON.stringify([corpusId, shareability]));
    const digests: Digest[] = [];
    for (const [, versions] of [...shards].sort(([left], [right]) => (left < right ? -1 : 1)))
      for (let first = 0; first < versions.length; first += MAX_SLICE)
        digests.push(...(await this.indexAgain(versions.slice(first, first + MAX_SLICE))));
    return digests;
  }

  /** Of what is stored of the passages: they keep their ids, whatever a later release would make of the text. */
  private async indexAgain(versions: readonly QuarantinedVersion[]): Promise<Digest[]> {
    const { corpusId, shareability, language } = versions[0]!;
    const chunks = await this.store.restore(versions);
    // Other requests are answered between two slices.
    await turn();
    await this.indexing.add({ corpusId, shareability, language }, buildSegment(chunks.map(indexedChunk), language));
    const byDocument = Map.groupBy(chunks, ({ docId }) => documentKey({ corpusId, docId }));
    const passagesOf = (version: QuarantinedVersion): RestoredChunk[] => byDocument.get(documentKey(version)) ?? [];
    this.outbox.emitMany(versions.map((version) => returnedEvent(version, passagesOf(version))));
    return versions.map((version) => digestOf(version, passagesOf(version)));
  }
}

const digestOf = (
  { corpusId, docId, version }: QuarantinedVersion,
  chunks: readonly { chunkId: string }[] = [],
): Digest => digestOfVersion({ corpusId, docId, version, chunkIds: chunks.map(({ chunkId }) => chunkId) });
