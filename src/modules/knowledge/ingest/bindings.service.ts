import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../../common/database/unavailable.js';
import type { CborMap } from '../../../evidence/cbor.js';
import type { AcceptedDocument, CompletedDocument } from '../../../evidence/ingest-batch.js';
import type { LeafPlace } from '../../../evidence/leaf-tree.js';
import type { ContentBinding } from '../../../evidence/pack-format.js';
import { type PassageLeaf, PassageTree } from '../../../evidence/passage-tree.js';
import { openReceipt } from '../../../evidence/receipt.js';
import { EvidenceRecords } from '../../../common/evidence-log/evidence-records.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { isLeaf } from './content.rules.js';
import { ContentViews, type IngestReceipt } from './content.views.js';
import { documentOf, type OwnedVersion, type RecordedPassage, versionKeyOf } from './content.types.js';
import { acceptedDocument, completedDocument, isOfBatch } from './ingest-receipts.rules.js';
import { IngestReceiptsService } from './ingest-receipts.service.js';

/** The tree of a version's passages, and the receipt that has its root. */
interface BoundVersion extends Pick<ContentBinding, 'document' | 'accepted'> {
  readonly receiptId: string;
  readonly passages: readonly PassageLeaf[];
  readonly tree: PassageTree;
}

/** Makes the paths from texts to the receipts of their ingest, for packs and exports. Needs an open unit of work. */
@Injectable()
export class BindingsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly views: ContentViews,
    private readonly records: EvidenceRecords,
    private readonly receipts: IngestReceiptsService,
  ) {}

  /**
   * In their order. Null where no path can be shown: of another tenant's text, of a version without a receipt over its
   * passages, and of a text that such a receipt contradicts.
   */
  async bind(passages: readonly RecordedPassage[]): Promise<(ContentBinding | null)[]> {
    const versions = new Map<string, BoundVersion | undefined>();
    const bindings: (ContentBinding | null)[] = [];
    for (const passage of passages) {
      const key = versionKeyOf(passage);
      if (!versions.has(key)) versions.set(key, await this.open(passage));
      bindings.push(bindingOf(passage, versions.get(key)));
    }
    return bindings;
  }

  /** The receipts that some paths lead to: what shows the paths shows them too. */
  receiptsOf(bindings: readonly (ContentBinding | null)[]): string[] {
    const receipts = bindings.flatMap((binding) => (binding ? [binding, binding.accepted] : []));
    return receipts.flatMap((receipt) => receipt?.receipt_id ?? []);
  }

  /** The receipts of the ingest of a version; none of another tenant's, which are its owner's to show. */
  async findReceipts(version: OwnedVersion): Promise<string[]> {
    if (version.ownerTenantId !== this.tenancy.tenant) return [];
    const found = await this.views.findReceipts(documentOf(version));
    return [found?.accepted, found?.completed].flatMap((receipt) => receipt?.receiptId ?? []);
  }

  private async open(version: OwnedVersion): Promise<BoundVersion | undefined> {
    if (version.ownerTenantId !== this.tenancy.tenant) return undefined;
    const document = documentOf(version);
    const { accepted, completed } = (await this.views.findReceipts(document)) ?? {};
    const digest = await this.views.findDigest(document);
    if (!accepted || !completed || !digest) return undefined;
    const { contentHash, shareability } = digest;
    const passages = await this.views.findPassages(document);
    const tree = new PassageTree(passages);
    const content = { contentHash, passagesRoot: tree.root, chunks: passages };
    const completion = completedDocument({ ...document, ingestId: completed.ingestId }, content);
    const acceptance = acceptedDocument({ ...document, ingestId: accepted.ingestId }, { contentHash, shareability });
    const end = await this.findBound(completed, completion);
    const beginning = await this.findBound(accepted, acceptance);
    if (!end || !beginning) return undefined;
    return {
      ...{ receiptId: completed.receiptId, passages, tree },
      ...(end.place && { document: { ...end.place, ...unnamed(completion) } }),
      ...(beginning.place && {
        accepted: { ...beginning.place, ...unnamed(acceptance), receipt_id: accepted.receiptId },
      }),
    };
  }

  /** The document's place in the batch of a receipt; undefined where the receipt binds another, or cannot be read. */
  private async findBound(
    { receiptId, ingestId }: IngestReceipt,
    document: AcceptedDocument | CompletedDocument,
  ): Promise<{ place?: LeafPlace } | undefined> {
    const stored = await this.records.find(receiptId);
    try {
      const { payload } = openReceipt(stored!.record);
      if (!isOfBatch(payload)) return isSaidIn(payload.body, document) ? {} : undefined;
      const { leaf, place } = await this.receipts.findLeaf(receiptId, payload, ingestId);
      return isLeaf(leaf, document) ? { place: place() } : undefined;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      // What cannot be read binds nothing; the check of the record says what is wrong with it.
      return undefined;
    }
  }
}

const isSaidIn = (body: CborMap, document: AcceptedDocument | CompletedDocument): boolean =>
  !('passages_root' in document) || body.passages_root === document.passages_root;

function unnamed<D extends AcceptedDocument | CompletedDocument>(
  document: D,
): Omit<D, 'corpus_id' | 'doc_id' | 'version'> {
  const { corpus_id: _corpus, doc_id: _doc, version: _version, ...rest } = document;
  return rest;
}

function bindingOf(
  { chunkId, contentHash }: RecordedPassage,
  version: BoundVersion | undefined,
): ContentBinding | null {
  if (!version) return null;
  const { receiptId, passages, tree, ...batches } = version;
  const index = passages.findIndex((one) => one.chunkId === chunkId && one.contentHash === contentHash);
  if (index < 0) return null;
  const { start, end } = passages[index]!;
  return { receipt_id: receiptId, index, path: tree.pathOf(index), start, end, ...batches };
}
