import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { AcceptedFile, ClaimedFile } from './ingest-files.types.js';

const COLUMNS = `f.ingest_id as "ingestId", f.corpus_id as "corpusId", f.doc_id as "docId", f.file_name as "fileName", f.media_type as "mediaType",
  f.title, f.url, f.shareability, f.metadata, f.digest, f.content, f.accepted_by as "acceptedBy", f.auth_mode as "authMode", f.agent_session as "agentSession"`;

/** Files that were accepted: their bytes until the text is read, and why none could be. */
@Injectable()
export class IngestFilesStore {
  constructor(private readonly tenancy: Tenancy) {}

  async record(file: AcceptedFile): Promise<void> {
    await this.tenancy.query(
      `insert into ingest_file (tenant_id, ingest_id, corpus_id, doc_id, file_name, media_type, title, url, shareability, metadata, digest, size,
         content, accepted_by, auth_mode, agent_session)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
      [
        ...[this.tenancy.tenant, file.ingestId, file.corpusId, file.docId, file.fileName, file.mediaType, file.title],
        ...[file.url, file.shareability, file.metadata && JSON.stringify(file.metadata), file.digest],
        ...[file.content.length, file.content, file.acceptedBy, file.authMode, file.agentSession],
      ],
    );
  }

  /**
   * The oldest unread file of the document that a file is of, up to that one; marked as being worked on. It is locked
   * as it is looked for: where another worker has just ended the oldest, the next one is found, and not none. Readings
   * are counted for the file's own job: those for later files of the document may go on at the same time.
   */
  async claimNext(ingestId: string): Promise<ClaimedFile | undefined> {
    const [row] = await this.tenancy.query<ClaimedFile>(
      `with next as (
         select older.ingest_id from ingest_file wanted join ingest_file older using (tenant_id, corpus_id, doc_id)
         where wanted.ingest_id = $1 and older.finished_at is null and older.ingest_id <= wanted.ingest_id
         order by older.ingest_id limit 1 for update of older
       ), claimed as (
         update ingest_file f set status = 'processing', readings = readings + (f.ingest_id = $1)::int from next where f.ingest_id = next.ingest_id returning f.*
       )
       select ${COLUMNS}, f.readings from claimed f`,
      [ingestId],
    );
    return row;
  }

  /** A reading came to its end, whatever stopped what was to follow: it is none that took the process down. */
  async putBack(ingestId: string): Promise<void> {
    await this.tenancy.query(
      `update ingest_file set status = 'queued', readings = greatest(readings - 1, 0) where ingest_id = $1 and finished_at is null`,
      [ingestId],
    );
  }

  /**
   * Locks a file until the unit of work ends.
   * @returns whether it is still to be read, and none that was sent before it for the document is
   */
  async lock({ ingestId, corpusId, docId }: AcceptedFile): Promise<boolean> {
    const locked = await this.tenancy.query(
      'select 1 from ingest_file where ingest_id = $1 and finished_at is null for update',
      [ingestId],
    );
    const older = await this.tenancy.query(
      `select 1 from ingest_file where corpus_id = $2 and doc_id = $3 and ingest_id < $1 and finished_at is null limit 1`,
      [ingestId, corpusId, docId],
    );
    return locked.length > 0 && older.length === 0;
  }

  /** Whether a version that was sent later than a file was accepted; it stays so only while the document is locked. */
  async isOvertaken({ ingestId, corpusId, docId }: AcceptedFile): Promise<boolean> {
    const later = await this.tenancy.query(
      'select 1 from ingest where corpus_id = $2 and doc_id = $3 and ingest_id > $1 limit 1',
      [ingestId, corpusId, docId],
    );
    return later.length > 0;
  }

  /**
   * Ends the unread files of a document. They are locked before the document is, as by the one that is accepted.
   * @returns how many there were
   */
  async failUnread(corpusId: string, docId: string, reason: string): Promise<number> {
    const ended = await this.tenancy.query<{ ingest_id: string }>(
      `select ingest_id from ingest_file where corpus_id = $1 and doc_id = $2 and finished_at is null order by ingest_id for update`,
      [corpusId, docId],
    );
    if (ended.length > 0)
      await this.fail(
        ended.map((row) => row.ingest_id),
        reason,
      );
    return ended.length;
  }

  /** Ends files without a text; their bytes go. */
  async fail(ingestIds: readonly string[], reason: string): Promise<void> {
    await this.tenancy.query(
      `update ingest_file set status = 'failed', error = $2, content = null, finished_at = now()
       where ingest_id = any($1) and finished_at is null`,
      [ingestIds, reason],
    );
  }

  /** The text is accepted: what is left to say stands with the ingest. */
  async remove(ingestId: string): Promise<void> {
    await this.tenancy.query('delete from ingest_file where ingest_id = $1', [ingestId]);
  }
}
