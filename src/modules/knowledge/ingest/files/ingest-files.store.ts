import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { AcceptedFile } from './ingest-files.types.js';

/** How the document of a file stands. */
interface FileOrder {
  /** It is still to be read, and none that was sent before it for the document is. */
  readonly isNext: boolean;
  /** A version that was sent later was accepted meanwhile. */
  readonly isOvertaken: boolean;
  /** The document was deleted after the file was sent. */
  readonly isWithdrawn: boolean;
}

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
   * as it is looked for: where another worker has just ended the oldest, the next one is found, and not none.
   */
  async claimNext(ingestId: string): Promise<AcceptedFile | undefined> {
    const [row] = await this.tenancy.query<AcceptedFile>(
      `with next as (
         select older.ingest_id from ingest_file wanted join ingest_file older using (tenant_id, corpus_id, doc_id)
         where wanted.ingest_id = $1 and older.finished_at is null and older.ingest_id <= wanted.ingest_id
         order by older.ingest_id limit 1 for update of older
       ), claimed as (
         update ingest_file f set status = 'processing' from next where f.ingest_id = next.ingest_id returning f.*
       )
       select ${COLUMNS} from claimed f`,
      [ingestId],
    );
    return row;
  }

  /** Locks a file until the unit of work ends, and says how its document stands. */
  async lock({ ingestId, corpusId, docId }: AcceptedFile): Promise<FileOrder> {
    const locked = await this.tenancy.query(
      'select 1 from ingest_file where ingest_id = $1 and finished_at is null for update',
      [ingestId],
    );
    const [row] = await this.tenancy.query<Omit<FileOrder, 'isNext'> & { hasOlder: boolean }>(
      `select
         exists (select from ingest_file o where o.corpus_id = $2 and o.doc_id = $3 and o.ingest_id < $1 and o.finished_at is null) as "hasOlder",
         exists (select from ingest i where i.corpus_id = $2 and i.doc_id = $3 and i.ingest_id > $1) as "isOvertaken",
         exists (select from document d join ingest_file f on f.ingest_id = $1
           where d.corpus_id = $2 and d.doc_id = $3 and d.deleted_at > f.accepted_at) as "isWithdrawn"`,
      [ingestId, corpusId, docId],
    );
    const { hasOlder, ...order } = row!;
    return { ...order, isNext: locked.length > 0 && !hasOlder };
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
