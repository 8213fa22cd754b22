import { Inject, Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../../../common/database/unavailable.js';
import { LOG, type Log } from '../../../../common/observability/log.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import { Problem } from '../../../../common/problem/problem.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { ExtractionOutcome } from '../extraction/extraction.types.js';
import { ExtractionPool } from '../extraction/extraction.pool.js';
import { DELETED, faultOfData } from '../ingest-indexing.rules.js';
import { IngestService } from '../ingest.service.js';
import { documentOf } from './ingest-files.rules.js';
import { IngestFilesStore } from './ingest-files.store.js';
import type { AcceptedFile, ClaimedFile } from './ingest-files.types.js';

/** A file that was being read when the process ended may be what ended it; so may another that was read meanwhile. */
const MAX_READINGS = 3;
const LOST: ExtractionOutcome = {
  reason: `The server ended ${MAX_READINGS} times while it read this file. Divide it, or save it as another kind.`,
};
const GIVEN_UP =
  "The file could not be read or accepted, however often it was tried; the last error is in the server's log. Send it again.";

interface ReadFile {
  readonly file: ClaimedFile;
  readonly outcome: ExtractionOutcome;
}

/** Gives up the unit of work in which a file's text was to be accepted. */
class Overtaken extends Error {
  override readonly message =
    'A version of the document that was sent later was accepted before this file was read; that one stays.';
}

/**
 * Reads accepted files and has their text accepted like every text. Everything is decided from rows, so that a job may
 * run twice, or after a kill, with one effect. Files of one document are accepted in the order in which they were sent.
 */
@Injectable()
export class FileReadingService {
  private readonly outcomes;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: IngestFilesStore,
    private readonly pool: ExtractionPool,
    private readonly ingests: IngestService,
    @Inject(LOG) private readonly log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('svc_ingest_files_total', 'Files that were read or failed, by outcome.', [
      'outcome',
    ]);
  }

  /** Reads a file, after those that were sent before it for the same document. */
  async read(tenantId: string, ingestId: string): Promise<void> {
    for (;;) {
      const read = await this.readNext(tenantId, ingestId);
      if (!read) return;
      await this.putBackAtFailure(tenantId, ingestId, read.file, () => this.settle(tenantId, read));
    }
  }

  /** Ends files whose job was given up. */
  async giveUp(tenantId: string, ingestIds: readonly string[]): Promise<void> {
    await this.tenancy.run(tenantId, () => this.store.fail(ingestIds, GIVEN_UP));
  }

  /**
   * Ends the unread files of a document that is deleted, in the open unit of work and before the document is locked.
   * @returns whether there were any
   */
  async withdraw(corpusId: string, docId: string): Promise<boolean> {
    const ended = await this.store.failUnread(corpusId, docId, DELETED);
    this.tenancy.afterCommit(() => this.outcomes.inc({ outcome: 'failed' }, ended));
    return ended > 0;
  }

  /** A file that waits for a thread is not claimed yet: it neither takes memory, nor counts as read where all ends. */
  private readNext(tenantId: string, ingestId: string): Promise<ReadFile | undefined> {
    return this.pool.whenFree(tenantId, async (extract) => {
      const file = await this.tenancy.run(tenantId, () => this.store.claimNext(ingestId));
      if (!file) return undefined;
      if (file.readings > MAX_READINGS) return { file, outcome: LOST };
      const { content: bytes, fileName, mediaType } = file;
      const reading = () => extract({ bytes, fileName, mediaType });
      return { file, outcome: await this.putBackAtFailure(tenantId, ingestId, file, reading) };
    });
  }

  /** Whatever fails here, the process goes on: the job is tried again, the file counts as if it had not been read. */
  private async putBackAtFailure<T>(
    tenantId: string,
    wanted: string,
    { ingestId }: ClaimedFile,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error))
        this.log.error({ tenant: tenantId, ingest: ingestId, error }, 'a file could not be accepted');
      if (ingestId === wanted)
        await this.tenancy.run(tenantId, () => this.store.putBack(ingestId)).catch(() => undefined);
      throw error;
    }
  }

  private async settle(tenantId: string, { file, outcome }: ReadFile): Promise<void> {
    if ('reason' in outcome) return this.fail(tenantId, file, outcome.reason, outcome.cause);
    try {
      await this.tenancy.run(tenantId, () => this.accept(file, outcome));
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      await this.fail(tenantId, file, reason);
    }
  }

  /** @throws Overtaken, and what refuses the text */
  private async accept(file: AcceptedFile, outcome: Extract<ExtractionOutcome, { file: unknown }>): Promise<void> {
    if (!(await this.store.lock(file))) return;
    const { ingestId, acceptedBy: principal, authMode: authType, agentSession } = file;
    const sender = { principal, authType, agentSession: agentSession ?? undefined };
    await this.ingests.acceptText(sender, ingestId, documentOf(file, outcome.file));
    // Not earlier: a later version that is being accepted has the document locked, and is seen once it is committed.
    if (await this.store.isOvertaken(file)) throw new Overtaken();
    await this.store.remove(ingestId);
    this.tenancy.afterCommit(() => this.outcomes.inc({ outcome: 'read' }));
  }

  private async fail(tenantId: string, { ingestId }: AcceptedFile, reason: string, cause?: string): Promise<void> {
    this.log.info({ tenant: tenantId, ingest: ingestId, reason, cause }, 'a file could not be read');
    await this.tenancy.run(tenantId, () => this.store.fail([ingestId], reason));
    this.outcomes.inc({ outcome: 'failed' });
  }
}

/** Why a file's text is not accepted, where another try changes nothing: its corpus has another language, for one. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Overtaken) return error.message;
  const fault = faultOfData(error);
  if (fault !== undefined) return fault;
  if (!(error instanceof Problem) || error.kind.status >= 500) return undefined;
  return error.message || error.kind.title;
}
