import type { UploadBody } from '../../../../common/http/uploaded-file.js';
import { isRecord } from '../../../../evidence/canonical-json.js';
import { namedDigest } from '../../../../evidence/digest.js';
import { findInexactness } from '../../../../evidence/exact-json.js';
import { readJson } from '../../../../common/http/json-body.js';
import { Problem } from '../../../../common/problem/problem.js';
import { readBodyAs } from '../../../../common/fields/contract.pipe.js';
import { invalid, PayloadTooLarge } from '../../../../common/problem/common-problems.js';
import type { ExtractedFile } from '../extraction/extraction.types.js';
import { MAX_TITLE_LENGTH } from '../ingest.dto.js';
import { submissionOf } from '../ingest.rules.js';
import type { Submission } from '../ingest.types.js';
import { IngestFileMembers } from './ingest-files.dto.js';
import type { AcceptedFile } from './ingest-files.types.js';

/** Members of a document's metadata that the server sets for a file. */
const SERVERS_OWN = ['contentType', 'file'];

/** A file as it was sent, its members checked. */
type SentDocumentFile = Omit<AcceptedFile, 'ingestId' | 'acceptedBy' | 'authMode' | 'agentSession'>;

/**
 * Puts together what query and form say of a file.
 * @throws ValidationFailed naming the member; PayloadTooLarge
 */
export function sentFileOf(query: IngestFileMembers, body: UploadBody, maxBytes: number): SentDocumentFile {
  const { file, tenantId: _tenant, tenant_id: _tenantToo, ...fields } = body;
  if (file.bytes.length > maxBytes)
    throw new PayloadTooLarge({ limitBytes: maxBytes }, `The file is larger than ${maxBytes} bytes; divide it`);
  const where = Object.keys(fields).length > 0 ? 'body' : 'query';
  const members = merge(query, readBodyAs(IngestFileMembers, fields));
  const fileName = fileNameOf(members.fileName ?? file.name, where);
  const { corpusId, docId = fileName, title = null, url = null, shareability = 'owner_only' } = members;
  if (corpusId === undefined) throw invalid(`${where}.corpusId`, 'is required');
  if (docId === null) throw invalid(`${where}.docId`, 'is required of a file without a name; send docId or fileName');
  const metadata = members.metadata === undefined ? null : readMetadata(members.metadata, where);
  // What POST /v1/ingest would refuse of the document, before its text is there.
  submissionOf(
    { corpusId, docId, title: title ?? docId, url, content: '', shareability, ...(metadata ? { metadata } : {}) },
    where,
  );
  const digest = Buffer.from(file.digest.slice('blake3:'.length), 'hex');
  const stated = { corpusId, docId, fileName, mediaType: file.mediaType?.slice(0, 500) ?? null, title, url };
  return { ...stated, shareability, metadata, digest, content: file.bytes };
}

function merge(query: IngestFileMembers, form: IngestFileMembers): IngestFileMembers {
  const sent = Object.entries(form).filter(([, value]) => value !== undefined);
  const twice = sent.find(([name]) => query[name as keyof IngestFileMembers] !== undefined);
  if (twice) throw invalid(`body.${twice[0]}`, 'is in the query as well; send it once');
  return { ...query, ...Object.fromEntries(sent) };
}

/** The last part of a path. */
function fileNameOf(given: string | null, where: string): string | null {
  const name = given?.split(/[\\/]/).at(-1)?.trim() ?? null;
  if (name === '') return null;
  if (name !== null && (name.length > 255 || /\p{Cc}/u.test(name)))
    throw invalid(`${where}.fileName`, 'must have at most 255 characters, none of them a control character');
  return name;
}

function readMetadata(text: string, where: string): Record<string, unknown> {
  const metadata = parseObject(text);
  if (!metadata)
    throw invalid(
      `${where}.metadata`,
      'must be an object as JSON, such as {"language":"english"}, nested 32 levels at most',
    );
  const fault = findInexactness(metadata, Infinity);
  if (fault) throw invalid(`${where}.metadata${fault.path}`, fault.message);
  const own = SERVERS_OWN.find((name) => Object.hasOwn(metadata, name));
  if (own !== undefined) throw invalid(`${where}.metadata.${own}`, 'is found from the file; leave it out');
  return metadata;
}

/** Read as a body would be: what a body may not hold, a member of it may not either. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = readJson(Buffer.from(text));
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/**
 * The document of a file whose text was read: as if it had been sent by POST /v1/ingest, with the file named.
 * @throws PayloadTooLarge, ValidationFailed
 */
export function documentOf(
  sent: AcceptedFile,
  { text, contentType, mediaType, title, locations }: ExtractedFile,
): Submission {
  const { corpusId, docId, fileName: name, url, shareability, content } = sent;
  const file = { name, mediaType, digest: namedDigest('blake3', sent.digest), bytes: content.length };
  const metadata = { ...sent.metadata, contentType, file };
  const shownTitle = sent.title ?? cleanTitle(title) ?? name ?? docId;
  const document = { corpusId, docId, title: shownTitle, url, content: text, shareability, metadata };
  return { ...submissionOf(document, 'file'), file: { ...file, locations } };
}

function cleanTitle(title: string | undefined): string | undefined {
  const clean = title
    ?.toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_TITLE_LENGTH)
    .toWellFormed();
  return clean || undefined;
}
