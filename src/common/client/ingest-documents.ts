import { setTimeout as sleep } from 'node:timers/promises';
import { ApiFailure, type ApiClient } from './api-client.js';
import type { DocumentInput, IngestAccepted, IngestStatus } from './api-replies.js';

/** One batch request holds at most this many documents (D12) and about this many characters of them. */
const BATCH_DOCUMENTS = 500;
const BATCH_CHARACTERS = 3_000_000;

const POLL_MS = 50;
/** No progress for this long means that nothing works on the queue. */
const STALLED_MS = 120_000;
const POLLS_AT_ONCE = 8;

/** Documents in batches that the API takes. */
export function* batchesOf<T extends { content: string }>(documents: Iterable<T>): Generator<T[]> {
  let batch: T[] = [];
  let characters = 0;
  for (const document of documents) {
    if (
      batch.length === BATCH_DOCUMENTS ||
      (batch.length > 0 && characters + document.content.length > BATCH_CHARACTERS)
    ) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(document);
    characters += document.content.length;
  }
  if (batch.length > 0) yield batch;
}

/** An accepted document whose ingest goes on. */
export interface WaitingIngest {
  ingestId: string;
  docId: string;
}

/**
 * Ingests documents through POST /v1/ingest/batch and waits until each is searchable.
 * @param progress called with how many are done
 * @throws ApiFailure when the server refuses, a document fails, or nothing moves for two minutes
 */
export async function ingestDocuments(
  client: ApiClient,
  documents: readonly DocumentInput[],
  progress: (done: number) => void,
): Promise<void> {
  const waiting: WaitingIngest[] = [];
  for (const batch of batchesOf(documents)) waiting.push(...(await sendBatch(client, batch)));
  let done = 0;
  await untilSettled(client, waiting, ({ docId }, { status, error }) => {
    if (status === 'failed')
      throw new ApiFailure(0, `Document ${docId} could not be ingested: ${error ?? 'no reason given'}`);
    progress(++done);
  });
}

/** @throws ApiFailure when the server refuses; it takes all of a batch or nothing */
export async function sendBatch(client: ApiClient, batch: readonly DocumentInput[]): Promise<WaitingIngest[]> {
  const body = { documents: batch.map((document) => ({ tenantId: client.address.tenantId, ...document })) };
  const { accepted } = await client.post<{ accepted: IngestAccepted[] }>('/v1/ingest/batch', body);
  return accepted.map(({ ingestId }, i) => ({ ingestId, docId: batch[i]!.docId }));
}

/**
 * Waits until each ingest is completed or failed.
 * @param settled called with each, as it ends
 * @throws ApiFailure when nothing moves for two minutes
 */
export async function untilSettled(
  client: ApiClient,
  waiting: WaitingIngest[],
  settled: (one: WaitingIngest, status: IngestStatus) => void,
): Promise<void> {
  let movedAt = performance.now();
  await Promise.all(
    Array.from({ length: POLLS_AT_ONCE }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        let status = await readStatus(client, next);
        while (status.status !== 'completed' && status.status !== 'failed') {
          if (performance.now() - movedAt > STALLED_MS)
            throw new ApiFailure(0, `Document ${next.docId} is not worked on. Does a process run with SVC_JOBS=1?`);
          await sleep(POLL_MS);
          status = await readStatus(client, next);
        }
        movedAt = performance.now();
        settled(next, status);
      }
    }),
  );
}

const readStatus = (client: ApiClient, { ingestId }: WaitingIngest): Promise<IngestStatus> =>
  client.get<IngestStatus>(`/v1/ingest/${ingestId}`);
