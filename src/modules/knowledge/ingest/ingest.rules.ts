import { canonicalText } from '../../../evidence/canonical-json.js';
import { blake3 } from '../../../evidence/digest.js';
import { isDotSegment } from '../../../common/http/dot-segment.js';
import { invalid, PayloadTooLarge } from '../../../common/problem/common-problems.js';
import { isLanguage, LANGUAGES, type Language } from '../../../search/languages.js';
import type { IngestRequest } from './ingest.dto.js';
import {
  MAX_CONTENT_BYTES,
  UNITS_OF_A_SMALL_JOB,
  type AcceptedSubmission,
  type DirectDocument,
  type IngestQueue,
  type KnownDocument,
  type NewDocument,
  type PlannedVersion,
  type Submission,
} from './ingest.types.js';

/** Largest `metadata`, in UTF-8 bytes of its canonical JSON. */
const MAX_METADATA_BYTES = 64 * 1024;
/**
 * Longest corpusId and docId in UTF-8: with the tenant's they must fit into one index entry of PostgreSQL (2,704
 * bytes).
 */
const MAX_ID_BYTES = 1024;
/** Several processes can share a large batch; a job that is lost to a kill is at most this many documents. */
const DOCUMENTS_A_JOB = 100;
const UNITS_A_JOB = 1024 * 1024;
/** What the work on a MiB is taken to last, and what a job costs however little it holds. */
const MS_A_MIB = 4_000;
const MS_A_JOB = 2;

/** A file's document may have no address. */
type SentDocument = Omit<IngestRequest, 'url' | 'tenantId'> & { readonly url: string | null };

/**
 * Checks what the fields cannot check on their own and digests the content.
 * @param path of the document in the request, for the messages: `body` or `body.documents[3]`
 * @throws PayloadTooLarge, ValidationFailed
 */
export function submissionOf(request: SentDocument, path: string): Submission {
  const bytes = Buffer.byteLength(request.content);
  if (bytes > MAX_CONTENT_BYTES) {
    throw new PayloadTooLarge(
      { limitBytes: MAX_CONTENT_BYTES },
      `${path}.content: is ${bytes} bytes of UTF-8, at most ${MAX_CONTENT_BYTES} are taken; divide the document`,
    );
  }
  const { corpusId, docId, title, url, content, shareability, sourceSuggestionId } = request;
  for (const name of ['corpusId', 'docId'] as const) {
    // Clients that follow the URL Standard take them out of an address, also where they are percent-encoded.
    if (isDotSegment(request[name])) {
      throw invalid(
        `${path}.${name}`,
        'must be another id: HTTP clients take . and .. out of the address that it is read by',
      );
    }
    if (Buffer.byteLength(request[name]) > MAX_ID_BYTES) {
      throw invalid(`${path}.${name}`, `must not be longer than ${MAX_ID_BYTES} bytes in UTF-8`);
    }
  }
  const metadata = request.metadata ?? null;
  if (metadata !== null) checkMetadata(metadata, `${path}.metadata`);
  return {
    ...digested({ corpusId, docId, title, url, content, shareability, metadata, semanticProfile: 'default' }),
    sourceSuggestionId: sourceSuggestionId ?? null,
  };
}

/** What is known of a checked document by its digests; no suggestion led to it. */
export function digested(document: DirectDocument): Submission {
  const { title, url, content, shareability, metadata, semanticProfile } = document;
  const contentHash = blake3(content);
  const members = [Buffer.from(contentHash).toString('hex'), title, url, shareability, metadata];
  const identity = canonicalText(semanticProfile === 'lexical' ? [...members, semanticProfile] : members);
  return {
    ...document,
    sourceSuggestionId: null,
    contentHash,
    digest: blake3(identity),
    language: metadata?.['language'] as Language | undefined,
  };
}

function checkMetadata(metadata: Record<string, unknown>, path: string): void {
  const { language, contentType } = metadata;
  if (language !== undefined && (typeof language !== 'string' || !isLanguage(language))) {
    throw invalid(`${path}.language`, `must be one of ${LANGUAGES.join(', ')}`);
  }
  if (
    contentType !== undefined &&
    (typeof contentType !== 'string' || !/^[\w.+-]+\/[\w.+-]+\s*(?:;|$)/.test(contentType))
  ) {
    throw invalid(`${path}.contentType`, 'must be a media type such as text/markdown');
  }
  if (Buffer.byteLength(canonicalText(metadata)) > MAX_METADATA_BYTES) {
    throw invalid(path, `must not be larger than ${MAX_METADATA_BYTES} bytes as JSON`);
  }
}

/** The language each corpus gets if it is new: the first one stated for it. */
export function statedLanguages(submissions: readonly Submission[]): Map<string, Language | undefined> {
  const languages = new Map<string, Language | undefined>();
  for (const { corpusId, language } of submissions) languages.set(corpusId, languages.get(corpusId) ?? language);
  return languages;
}

/**
 * Gives each submission its version, in order: the latest version again when nothing differs from it, the next one
 * otherwise. A document that was deleted starts a new version whatever it holds. `known` is brought up to date.
 */
export function planVersions(
  submissions: readonly AcceptedSubmission[],
  known: Map<string, KnownDocument>,
): PlannedVersion[] {
  return submissions.map((submission) => {
    const key = documentKey(submission);
    const document = known.get(key) ?? { latestVersion: 0, latestDigest: null };
    const isRepeat = document.latestDigest !== null && Buffer.from(submission.digest).equals(document.latestDigest);
    const version = isRepeat ? document.latestVersion : document.latestVersion + 1;
    known.set(key, { latestVersion: version, latestDigest: submission.digest });
    return { submission, version, isNew: !isRepeat };
  });
}

/** The documents of versions, each with the latest of them. */
export function newestOf(versions: readonly PlannedVersion[]): NewDocument[] {
  const newest = new Map<string, NewDocument>();
  for (const { submission, version } of versions) {
    const { corpusId, docId, digest } = submission;
    newest.set(documentKey(submission), { corpusId, docId, latestVersion: version, latestDigest: digest });
  }
  return [...newest.values()];
}

export interface PlannedJob {
  readonly queue: IngestQueue;
  readonly ingestIds: string[];
  /** Content, in UTF-16 code units. */
  units: number;
}

/** Divides ingests into jobs, in their order. Only a single document makes a job longer than UNITS_A_JOB. */
export function jobsOf(ingests: readonly { ingestId: string; content: string }[]): PlannedJob[] {
  const jobs: Omit<PlannedJob, 'queue'>[] = [];
  for (const { ingestId, content } of ingests) {
    const last = jobs.at(-1);
    if (last && last.ingestIds.length < DOCUMENTS_A_JOB && last.units + content.length <= UNITS_A_JOB) {
      last.ingestIds.push(ingestId);
      last.units += content.length;
    } else jobs.push({ ingestIds: [ingestId], units: content.length });
  }
  return jobs.map((job) => ({ ...job, queue: job.units > UNITS_OF_A_SMALL_JOB ? 'ingest.large' : 'ingest' }));
}

/** What the work on so many code units, or bytes of a file, is taken to last; more than it does. */
export const lastsMsOf = (units: number): number => MS_A_JOB + (units * MS_A_MIB) / (1024 * 1024);

/** One text for the two ids that name a document within a tenant. */
export function documentKey({ corpusId, docId }: { corpusId: string; docId: string }): string {
  return JSON.stringify([corpusId, docId]);
}
