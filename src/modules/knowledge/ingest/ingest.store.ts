import { Injectable } from '@nestjs/common';
import type { Language } from '../../../search/languages.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { IngestState } from './ingest.dto.js';
import { documentKey } from './ingest.rules.js';
import type { AcceptedIngest, KnownDocument, NewDocument, PlannedVersion } from './ingest.types.js';

export interface IngestRow {
  ingest_id: string;
  status: IngestState;
  error: string | null;
}

/**
 * Rows of an acceptance: corpora, documents and their versions, ingests. Lists go to the database as one JSON text a
 * statement.
 */
@Injectable()
export class IngestStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Makes the corpora that are new; answers the language each of them has now. */
  async recordCorpora(languages: ReadonlyMap<string, Language>): Promise<Map<string, Language>> {
    const ids = [...languages.keys()];
    const known = await this.findLanguages(ids);
    // Nearly always all of them are there.
    const missing = ids.filter((id) => !known.has(id));
    if (missing.length === 0) return known;
    const rows = missing.map((corpus_id) => ({ corpus_id, language: languages.get(corpus_id)! }));
    await this.tenancy.query(
      `insert into corpus (tenant_id, corpus_id, language)
       select $1, c.corpus_id, c.language from json_to_recordset($2::json) as c(corpus_id text, language text) order by c.corpus_id collate "C"
       on conflict do nothing`,
      [this.tenancy.tenant, JSON.stringify(rows)],
    );
    return this.findLanguages(ids);
  }

  private async findLanguages(corpusIds: readonly string[]): Promise<Map<string, Language>> {
    const found = await this.tenancy.query<{ corpus_id: string; language: Language }>(
      'select corpus_id, language from corpus where corpus_id = any($1)',
      [corpusIds],
    );
    return new Map(found.map((row) => [row.corpus_id, row.language]));
  }

  /**
   * Makes the documents that are new, as they will be, and locks all of them, always in the same order, until the unit
   * of work ends.
   * @returns those that were there before, by documentKey
   */
  async lockDocuments(documents: readonly NewDocument[]): Promise<Map<string, KnownDocument>> {
    const made = await this.tenancy.query<DocumentName>(
      `insert into document (tenant_id, corpus_id, doc_id, latest_version, latest_digest)
       select $1, d.corpus_id, d.doc_id, d.version, decode(d.digest, 'hex')
       from json_to_recordset($2::json) as d(corpus_id text, doc_id text, version int, digest text)
       order by d.corpus_id collate "C", d.doc_id collate "C"
       on conflict do nothing returning corpus_id, doc_id`,
      [this.tenancy.tenant, JSON.stringify(documents.map(latestOf))],
    );
    const names = new Set(made.map(keyOf));
    return this.lockKnown(documents.filter((document) => !names.has(documentKey(document))));
  }

  private async lockKnown(documents: readonly NewDocument[]): Promise<Map<string, KnownDocument>> {
    if (documents.length === 0) return new Map();
    const rows = await this.tenancy.query<
      DocumentName & {
        latest_version: number;
        latest_digest: Buffer | null;
      }
    >(
      `select corpus_id, doc_id, latest_version, latest_digest from document
       where (corpus_id, doc_id) in (select d.corpus_id, d.doc_id from json_to_recordset($1::json) as d(corpus_id text, doc_id text))
       order by corpus_id collate "C", doc_id collate "C" for update`,
      [JSON.stringify(documents.map(({ corpusId, docId }) => ({ corpus_id: corpusId, doc_id: docId })))],
    );
    return new Map(
      rows.map((row) => [keyOf(row), { latestVersion: row.latest_version, latestDigest: row.latest_digest }]),
    );
  }

  /** Makes versions the latest ones of documents that were there before. */
  moveDocuments(documents: readonly NewDocument[]): void {
    this.tenancy.send(
      `update document d set latest_version = l.version, latest_digest = decode(l.digest, 'hex'), deleted_at = null
       from json_to_recordset($1::json) as l(corpus_id text, doc_id text, version int, digest text)
       where d.corpus_id = l.corpus_id and d.doc_id = l.doc_id`,
      [JSON.stringify(documents.map(latestOf))],
    );
  }

  recordVersions(versions: readonly PlannedVersion[]): void {
    const rows = versions.map(({ submission, version }) => ({
      corpus_id: submission.corpusId,
      doc_id: submission.docId,
      version,
      title: submission.title,
      url: submission.url,
      content: submission.content,
      content_hash: hex(submission.contentHash),
      shareability: submission.shareability,
      metadata: submission.metadata,
      source_suggestion_id: submission.sourceSuggestionId,
      semantic_profile: submission.semanticProfile,
      locations: submission.file?.locations ?? null,
      accepted_by: submission.acceptedBy,
    }));
    this.tenancy.send(
      `insert into document_version (tenant_id, corpus_id, doc_id, version, title, url, content, content_hash, shareability, metadata,
         source_suggestion_id, semantic_profile, locations, accepted_by)
       select $1, corpus_id, doc_id, version, title, url, content, decode(content_hash, 'hex'), shareability, metadata,
         source_suggestion_id, semantic_profile, locations, accepted_by
       from json_to_recordset($2::json) as v(corpus_id text, doc_id text, version int, title text, url text, content text,
         content_hash text, shareability text, metadata jsonb, source_suggestion_id uuid, semantic_profile text, locations jsonb, accepted_by text)`,
      [this.tenancy.tenant, JSON.stringify(rows)],
    );
  }

  recordIngests(ingests: readonly AcceptedIngest[]): void {
    this.tenancy.send(
      `insert into ingest (tenant_id, ingest_id, corpus_id, doc_id, version, receipt_id)
       select $1, i."ingestId", i."corpusId", i."docId", i.version, i."receiptId"
       from json_to_recordset($2::json) as i("ingestId" uuid, "corpusId" text, "docId" text, version int, "receiptId" uuid)`,
      [this.tenancy.tenant, JSON.stringify(ingests)],
    );
  }

  /** How ingests ended, and the passages of their versions. */
  async readOutcomes(
    ingestIds: readonly string[],
  ): Promise<Map<string, { error: string | null; chunk_count: number }>> {
    const rows = await this.tenancy.query<{ ingest_id: string; error: string | null; chunk_count: number }>(
      `select i.ingest_id, i.error, (select count(*)::int from chunk c
         where c.tenant_id = i.tenant_id and c.corpus_id = i.corpus_id and c.doc_id = i.doc_id and c.version = i.version) as chunk_count
       from ingest i where i.ingest_id = any($1)`,
      [ingestIds],
    );
    return new Map(rows.map((row) => [row.ingest_id, row]));
  }

  async find(ingestId: string): Promise<IngestRow | undefined> {
    const [row] = await this.tenancy.query<IngestRow>(
      // A file is in the other table until its text is accepted.
      `select ingest_id, status, error from ingest where ingest_id = $1
       union all select ingest_id, status, error from ingest_file where ingest_id = $1`,
      [ingestId],
    );
    return row;
  }
}

interface DocumentName {
  corpus_id: string;
  doc_id: string;
}

const keyOf = ({ corpus_id, doc_id }: DocumentName): string => documentKey({ corpusId: corpus_id, docId: doc_id });

const latestOf = ({ corpusId, docId, latestVersion, latestDigest }: NewDocument) => ({
  corpus_id: corpusId,
  doc_id: docId,
  version: latestVersion,
  digest: hex(latestDigest),
});

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
