import { blake3, blake3Digest, namedDigest } from '../../../evidence/digest.js';
import { INGEST_ACCEPTED, INGEST_COMPLETED } from '../../../evidence/content-bindings.js';
import { BATCH_ACCEPTED, BATCH_COMPLETED } from '../../../evidence/ingest-batch.js';
import { type PassageLeaf, PassageTree } from '../../../evidence/passage-tree.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import type { FaultSink, StoredReceipt, SubjectCheck } from '../../../common/evidence-log/evidence-look.types.js';
import { findOtherWriter, readBodies, type WrittenRow } from '../../../common/evidence-log/receipt-bodies.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { namePartOf } from '../../../common/evidence-log/receipted-rows.js';
import { digestOfVersion, SetAside } from '../../../common/evidence-log/set-aside.js';
import { PASSAGES, receiptsOf, VERSIONS, VERSIONS_OF_DOCUMENTS } from './document-evidence-sql.js';
import { Withdrawals } from './document-withdrawals.js';
import { formatOf } from './chunking/content-format.js';
import { isLeaf } from './content.rules.js';
import { placeOf } from './extraction/locations.rules.js';
import type { LocatedRange, PassagePlace } from './extraction/locations.types.js';
import { acceptedDocument, completedDocument, isOfBatch } from './ingest-receipts.rules.js';
import {
  FirstAcceptances,
  keyOf,
  type SaidVersion,
  type VersionName,
  versionsIn,
  versionsInBatches,
} from './said-versions.js';

/** Texts are read a few at a time: one may be large. */
const VERSIONS_AT_ONCE = 8;

const KINDS: readonly string[] = [
  ...[INGEST_ACCEPTED, INGEST_COMPLETED, 'local.ingested', BATCH_ACCEPTED, BATCH_COMPLETED],
];

/** The names of the versions that a receipt speaks of; that a batch holds their ingests is seen as they are read. */
const spokenOf = (receipt: StoredReceipt): string[] | undefined => {
  if (isOfBatch(receipt)) return undefined;
  return KINDS.includes(receipt.kind)
    ? readBodies([receipt])
        .flatMap(versionsIn)
        .map((one) => `${namePartOf(one.corpus_id)}/${one.doc_id}/${one.version}`)
    : [];
};

/** Documents and their passages against the receipts of their ingest. */
export class DocumentEvidence implements SubjectCheck {
  readonly name = 'documents';
  readonly kinds = KINDS;
  readonly rows = [
    { table: 'document_version', receipts: receiptsOf('document_version') },
    { table: 'chunk', receipts: receiptsOf('chunk') },
    { table: 'document', receipts: receiptsOf(VERSIONS_OF_DOCUMENTS) },
  ].map((source) => ({ ...source, spokenOf }));

  async check(
    query: Query,
    receipts: readonly StoredReceipt[],
    faultOf: (id: string) => FaultSink,
    most = Infinity,
  ): Promise<void> {
    const read = readBodies(receipts);
    const said = read.filter((receipt) => !isOfBatch(receipt)).flatMap(versionsIn);
    const batched = await versionsInBatches(query, read.filter(isOfBatch), faultOf);
    const all = [...said, ...batched.slice(-most)];
    const acceptances = new FirstAcceptances(query);
    const withdrawals = new Withdrawals(query);
    const aside = new SetAside(query);
    for (let from = 0; from < all.length; from += VERSIONS_AT_ONCE) {
      const some = all.slice(from, from + VERSIONS_AT_ONCE);
      const names = (['tenant_id', 'corpus_id', 'doc_id', 'version'] as const).map((name) =>
        some.map((one) => one[name]),
      );
      const rows = Map.groupBy(await query<VersionRow>(VERSIONS, names), keyOf);
      const passages = Map.groupBy(await query<PassageRow>(PASSAGES, names), keyOf);
      for (const one of some) {
        const stored = { row: rows.get(keyOf(one))?.[0], passages: passages.get(keyOf(one)) ?? [] };
        const fault =
          findFault(one, stored) ??
          (await findOtherMaker(acceptances, one, stored)) ??
          (await findHidden(withdrawals, one, stored.row)) ??
          (await findOtherAside(aside, one, stored));
        if (fault === undefined) continue;
        const which = `document ${one.doc_id}, version ${one.version}, of corpus ${one.corpus_id} of tenant ${one.tenant_id}`;
        faultOf(one.receiptId).add(`${which}, receipt ${one.receiptId}: ${fault}`);
      }
    }
  }
}

interface VersionRow extends VersionName, WrittenRow {
  content: string;
  content_hash: Buffer;
  shareability: string;
  content_type: string | null;
  /** Of versions from before their receipts listed the passages. */
  chunk_count: number | null;
  locations: LocatedRange[] | null;
  has_document: boolean;
  /** Of its document, 0 where that has none. */
  current_version: number;
  /** It is the current one of its document, and was not set aside; or was. */
  is_shown: boolean;
  is_aside: boolean;
  /** Of its document, where it is the current one. */
  listed_as: string | null;
  /** Of its corpus: shareability and language. */
  shards: string[];
}
interface PassageRow extends VersionName {
  chunk_id: string;
  content: string;
  content_hash: Buffer;
  start_offset: number;
  end_offset: number;
  location: PassagePlace | null;
  shareability: string;
  language: string;
  is_shown: boolean;
}

/** What is there of a version. */
interface StoredVersion {
  readonly row: VersionRow | undefined;
  readonly passages: readonly PassageRow[];
}

function findFault(said: SaidVersion, { row, passages }: StoredVersion): string | undefined {
  if (!row) return 'its row is gone';
  const unlike = said.leaf ? findUnboundLeaf(said.leaf, said, row, passages) : findUnlike(said, row, passages);
  if (unlike !== undefined) return unlike;
  if (!row.content_hash.equals(blake3(row.content))) return 'its digest is not that of its text';
  return said.isAcceptance ? findMisshown(said, row, passages) : undefined;
}

/** Writer, time and places of a version are those of the acceptance that made it. */
const findUnlikeMaker = (said: SaidVersion, row: VersionRow, passages: readonly PassageRow[]): string | undefined =>
  findOtherWriter(said, row) ?? findMisplaced(said, row, passages);

/**
 * A document that is sent again unchanged is accepted again, by whom and when it may be, and makes no version (D16):
 * what differs from a receipt has to be what one of the first receipts of the version says.
 */
async function findOtherMaker(
  acceptances: FirstAcceptances,
  said: SaidVersion,
  { row, passages }: StoredVersion,
): Promise<string | undefined> {
  const unlike = said.isAcceptance && row && findUnlikeMaker(said, row, passages);
  if (!unlike) return undefined;
  const isMaker = (one: SaidVersion): boolean =>
    findFault(one, { row, passages }) === undefined && findUnlikeMaker(one, row, passages) === undefined;
  return (await acceptances.of(said)).some(isMaker) ? undefined : unlike;
}

/** Processes have clocks of their own. */
const CLOCKS_DIFFER_MS = 60_000;

/** A version that came into search leaves it for a newer one, or with its document, which leaves a receipt. */
async function findHidden(
  withdrawals: Withdrawals,
  said: SaidVersion,
  row: VersionRow | undefined,
): Promise<string | undefined> {
  if (said.isAcceptance || !row || row.current_version >= said.version) return undefined;
  if (row.current_version > 0) return `its document is at version ${row.current_version}, which is older`;
  const isWithdrawn = (await withdrawals.lastOf(said)) >= row.written_at.getTime() - CLOCKS_DIFFER_MS;
  return isWithdrawn ? undefined : 'its document is not in search, and no receipt says that it was withdrawn';
}

/** The version of a document that incidents have aside is the one that receipts name, and no other. */
async function findOtherAside(
  aside: SetAside,
  { tenant_id, corpus_id: corpusId, doc_id: docId, version, isAcceptance }: SaidVersion,
  { row, passages }: StoredVersion,
): Promise<string | undefined> {
  if (!isAcceptance || !row || row.current_version !== version) return undefined;
  return aside.findFault(tenant_id, {
    digestOf: () => digestOfVersion({ corpusId, docId, version, chunkIds: passages.map(({ chunk_id }) => chunk_id) }),
    isAside: row.is_aside,
    node: { kind: 'document', key: [corpusId, docId] },
  });
}

/** What a receipt of its own binds. */
function findUnlike(said: SaidVersion, row: VersionRow, passages: readonly PassageRow[]): string | undefined {
  if (blake3Digest(row.content) !== said.contentHash) return 'its text is not the one that was ingested';
  return (
    findAltered(passages) ?? (said.passagesRoot === undefined ? findStray(row, passages) : findUnlisted(said, passages))
  );
}

/** Who may see it, and whether it is in search: what searches and other tenants go by must be what was accepted. */
function findMisshown(said: SaidVersion, row: VersionRow, passages: readonly PassageRow[]): string | undefined {
  if (!row.has_document) return 'its document is gone';
  if (said.shareability !== undefined && said.shareability !== row.shareability)
    return 'who may see it is not what was accepted';
  if (row.listed_as !== null && row.listed_as !== row.shareability)
    return 'its document says that others may see it than was accepted';
  const open = passages.find(({ shareability }) => shareability !== row.shareability);
  if (open) return `passage ${open.chunk_id} says that others may see it than was accepted`;
  const moved = passages.find(({ is_shown: isShown }) => isShown !== row.is_shown);
  if (moved)
    return row.is_shown
      ? `passage ${moved.chunk_id} is not in search, and its version is the current one`
      : `passage ${moved.chunk_id} is in search, and its version is not the current one`;
  const lost = passages.find((one) => one.is_shown && !row.shards.includes(`${one.shareability} ${one.language}`));
  return lost && `passage ${lost.chunk_id} is in no shard of those who may see it`;
}

/** What the receipt of a batch binds: names, text and shareability or, once it is completed, passages. */
function findUnboundLeaf(
  { hash, ingestId, kind }: NonNullable<SaidVersion['leaf']>,
  { corpus_id: corpusId, doc_id: docId, version }: VersionName,
  row: VersionRow,
  passages: readonly PassageRow[],
): string | undefined {
  const altered = findAltered(passages);
  if (altered !== undefined) return altered;
  const name = { ingestId, corpusId, docId, version };
  const contentHash = blake3Digest(row.content);
  if (kind === BATCH_ACCEPTED)
    return isLeaf(hash, acceptedDocument(name, { contentHash, shareability: row.shareability }))
      ? findStray(row, passages)
      : 'its text, or who may see it, is not what was accepted';
  const passagesRoot = new PassageTree(passages.map(leafOf)).root;
  return isLeaf(hash, completedDocument(name, { contentHash, passagesRoot, chunks: passages }))
    ? undefined
    : 'its text, or its passages, are not those that were ingested';
}

function findAltered(passages: readonly PassageRow[]): string | undefined {
  const altered = passages.find((one) => blake3Digest(one.content) !== namedDigest('blake3', one.content_hash));
  return altered && `passage ${altered.chunk_id} is not the text of its digest`;
}

const leafOf = (one: PassageRow): PassageLeaf => ({
  chunkId: one.chunk_id,
  contentHash: namedDigest('blake3', one.content_hash),
  start: one.start_offset,
  end: one.end_offset,
});

const NO_PLACES = blake3Digest(canonicalJson([]));

/** The places of passages follow from the map that the receipt has the digest of; what was sent as text has none. */
function findMisplaced(
  { places = NO_PLACES }: SaidVersion,
  row: VersionRow,
  passages: readonly PassageRow[],
): string | undefined {
  const ranges = row.locations ?? [];
  if (blake3Digest(canonicalJson(ranges)) !== places) return 'its places are not those of the file that was sent';
  const shown = (place: unknown) => blake3Digest(canonicalJson(place ?? null));
  const wrong = passages.find(
    (one) => shown(one.location) !== shown(placeOf(ranges, one.start_offset, one.end_offset)),
  );
  return wrong && `passage ${wrong.chunk_id} stands in another place of its file`;
}

/** Against the receipt that lists the passages by a Merkle root (RFC 6962, section 2.1). */
function findUnlisted(
  { passages: count, passagesRoot }: SaidVersion,
  passages: readonly PassageRow[],
): string | undefined {
  if (passages.length !== Number(count)) return `${passages.length} passages are there, ${Number(count)} were ingested`;
  return new PassageTree(passages.map(leafOf)).root === passagesRoot
    ? undefined
    : 'its passages are not those that were ingested';
}

/** Without one: a passage is its slice of the text, unless that is HTML. */
function findStray(row: VersionRow, passages: readonly PassageRow[]): string | undefined {
  if (row.chunk_count !== null && row.chunk_count !== passages.length)
    return `${passages.length} passages are there, ${row.chunk_count} were indexed`;
  if (formatOf(row.content, row.content_type ?? undefined) === 'html') return undefined;
  const stray = passages.find((one) => one.content !== row.content.slice(one.start_offset, one.end_offset));
  return stray && `passage ${stray.chunk_id} does not stand in the text`;
}
