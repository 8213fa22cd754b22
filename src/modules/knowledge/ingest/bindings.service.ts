import { Injectable } from '@nestjs/common';
import type { ContentBinding } from '../../../evidence/pack-format.js';
import { type PassageLeaf, PassageTree } from '../../../evidence/passage-tree.js';
import { openReceipt } from '../../../evidence/receipt.js';
import { EvidenceRecords } from '../../../common/evidence-log/evidence-records.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { ContentViews } from './content.views.js';
import { documentOf, type OwnedVersion, type RecordedPassage, versionKeyOf } from './content.types.js';

/** The tree of a version's passages, and the receipt that has its root. */
interface BoundVersion {
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

  /** The receipts of the ingest of a version; none of another tenant's, which are its owner's to show. */
  async findReceipts(version: OwnedVersion): Promise<string[]> {
    if (version.ownerTenantId !== this.tenancy.tenant) return [];
    const found = await this.views.findReceipts(documentOf(version));
    return [found?.acceptedId, found?.completedId].filter((id) => typeof id === 'string');
  }

  private async open(version: OwnedVersion): Promise<BoundVersion | undefined> {
    if (version.ownerTenantId !== this.tenancy.tenant) return undefined;
    const { completedId } = (await this.views.findReceipts(documentOf(version))) ?? {};
    const stored = completedId ? await this.records.find(completedId) : undefined;
    if (!stored) return undefined;
    const passages = await this.views.findPassages(documentOf(version));
    const tree = new PassageTree(passages);
    return rootIn(stored.record) === tree.root ? { receiptId: stored.receiptId, passages, tree } : undefined;
  }
}

function rootIn(record: Uint8Array): unknown {
  try {
    return openReceipt(record).payload.body.passages_root;
  } catch {
    // What cannot be read binds nothing; the check of the record says what is wrong with it.
    return undefined;
  }
}

function bindingOf(
  { chunkId, contentHash }: RecordedPassage,
  version: BoundVersion | undefined,
): ContentBinding | null {
  if (!version) return null;
  const { receiptId, passages, tree } = version;
  const index = passages.findIndex((one) => one.chunkId === chunkId && one.contentHash === contentHash);
  if (index < 0) return null;
  const { start, end } = passages[index]!;
  return { receipt_id: receiptId, index, path: tree.pathOf(index), start, end };
}
