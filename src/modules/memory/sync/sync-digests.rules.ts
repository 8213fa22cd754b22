import { canonicalJson } from '../../../evidence/canonical-json.js';
import { SHA256_DIGEST } from '../../../evidence/digest-forms.js';
import { sha256 } from '../../../evidence/sha256.js';
import { collectionOf, keyOf, wireIdOf } from './sync-ids.rules.js';
import type { SyncContent, SyncVersion } from './sync-record.types.js';

const DOMAINS = {
  content: 'svc.sync.content/1\n',
  version: 'svc.sync.version/1\n',
  page: 'svc.sync.page/1\n',
  confirm: 'svc.sync.confirm/1\n',
  records: 'svc.sync.records/1\n',
  manifest: 'svc.sync.manifest/1\n',
} as const;

const PREFIX = 'sha256:';
/** As digests are written on the wire. */
export const named = (hex: string): string => `${PREFIX}${hex}`;
export const isNamed = (digest: unknown): digest is string => typeof digest === 'string' && SHA256_DIGEST.test(digest);
export const unnamed = (digest: string): string => digest.slice(PREFIX.length);

const digest = (domain: keyof typeof DOMAINS, value: unknown): string =>
  sha256(DOMAINS[domain], canonicalJson(value)).toString('hex');

/** 64 hexadecimal digits. @throws Error for what has no JSON form, such as an infinite number */
export const contentDigest = (content: SyncContent): string => digest('content', content);

/** Of a version, its content by its digest alone. */
const versionDigest = (version: Omit<SyncVersion, 'digest' | 'key'>): string =>
  digest('version', {
    collection: collectionOf(version.target, version.isDeleted),
    deleted: version.isDeleted,
    id: wireIdOf(version.target, version.parts, version.isDeleted),
    origin: {
      hash: version.contentDigest === null ? null : named(version.contentDigest),
      seq: version.seq,
      writer: version.writer,
    },
    vector: version.vector,
  });

/** With its key and digest. */
export function completeVersion(version: Omit<SyncVersion, 'digest' | 'key'>): SyncVersion {
  return { ...version, key: keyOf(version.target, version.parts), digest: versionDigest(version) };
}

const joined = (digests: readonly string[]): Buffer => Buffer.from(digests.join(''), 'hex');

/** Over the digests of its items, in their order. */
export const pageDigest = (tenantId: string, collection: string, digests: readonly string[]): string =>
  sha256(DOMAINS.page, canonicalJson([tenantId, collection]), joined(digests)).toString('hex');

/** Over the digests of the records that are promoted, sorted: what a confirmation was of. */
export const recordsHash = (digests: readonly string[]): string =>
  sha256(DOMAINS.records, joined(digests.toSorted())).toString('hex');

/** What a preview decided on one record, and the versions here that it rests on. */
export interface DecidedRow {
  readonly digest: string;
  readonly verdict: string;
  readonly local: readonly string[];
}

export const confirmHash = (tenantId: string, allowlist: readonly string[], rows: readonly DecidedRow[]): string =>
  digest('confirm', {
    allowlist: allowlist.toSorted(),
    rows: rows.map((row) => [row.digest, row.verdict, row.local.toSorted()]),
    tenant_id: tenantId,
  });

/** The bytes that the signature of a manifest is over. */
export const manifestBytes = (unsigned: object): Uint8Array =>
  Buffer.concat([Buffer.from(DOMAINS.manifest), canonicalJson(unsigned)]);
