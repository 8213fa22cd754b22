import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../../common/database/unavailable.js';
import type { DocumentVersion } from '../../../evidence/content-bindings.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { type PassageLeaf, PassageTree } from '../../../evidence/passage-tree.js';
import { openReceipt, type ReceiptPayload } from '../../../evidence/receipt.js';
import { EvidenceRecords } from '../../../common/evidence-log/evidence-records.js';
import { firstError, RecordChecks } from '../../../common/evidence-log/record-checks.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { AnalysisPool } from './analysis/analysis.pool.js';
import { faultOf, passagesOffText, type SaidByReceipt, spanKeyOf } from './content.rules.js';
import {
  type ContentFinding,
  documentOf,
  type OwnedVersion,
  type RecordedPassage,
  versionKeyOf,
} from './content.types.js';
import { ContentViews, type IngestReceipt, type StoredVersion } from './content.views.js';
import { completionOf, isOfBatch } from './ingest-receipts.rules.js';
import { IngestReceiptsService } from './ingest-receipts.service.js';

/** What became of one version under examination. */
interface Examination {
  readonly fault: string | undefined;
  readonly passages: readonly PassageLeaf[];
  readonly stored: StoredVersion | undefined;
}

/** A version whose receipts cannot be relied on. */
class Unfounded extends Error {}

/**
 * Holds documents and their passages against the receipts of their ingest, whatever the rows say. Those of another
 * tenant are held against its receipts, of which only the result is said. Needs an open unit of work.
 */
@Injectable()
export class ContentService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly views: ContentViews,
    private readonly records: EvidenceRecords,
    private readonly checks: RecordChecks,
    private readonly analysis: AnalysisPool,
    private readonly receipts: IngestReceiptsService,
  ) {}

  /** Whether texts are what was ingested, in their order; each version is examined once. */
  async check(passages: readonly RecordedPassage[]): Promise<ContentFinding[]> {
    const examined = new Map<string, Examination>();
    for (const passage of passages) {
      const key = versionKeyOf(passage);
      if (!examined.has(key)) examined.set(key, await this.examine(passage));
    }
    return passages.map((passage) => this.findingOf(passage, examined.get(versionKeyOf(passage))!, passage));
  }

  /** Whether a version of a document, with all its passages, is what was ingested. */
  async checkVersion(version: OwnedVersion): Promise<ContentFinding> {
    return this.findingOf(version, await this.examine(version));
  }

  /**
   * Gives the tenant's own versions from before there were receipts over passages such a receipt, where they are what
   * was accepted. Its time says that it was made later.
   */
  async complete(versions: readonly OwnedVersion[]): Promise<void> {
    const own = versions.filter(({ ownerTenantId }) => ownerTenantId === this.tenancy.tenant);
    for (const version of new Map(own.map((one) => [versionKeyOf(one), one])).values()) {
      const document = documentOf(version);
      if ((await this.views.findReceipts(document))?.completed) continue;
      const { fault, passages, stored } = await this.lookAt(document);
      if (fault !== undefined || !stored) continue;
      const content = { contentHash: blake3Digest(stored.content), passagesRoot: new PassageTree(passages).root };
      const { ingestId } = stored.accepted;
      await this.receipts.record([completionOf({ ...document, ingestId }, { ...content, chunks: passages })]);
    }
  }

  private examine(version: OwnedVersion): Promise<Examination> {
    const look = () => this.lookAt(documentOf(version));
    return version.ownerTenantId === this.tenancy.tenant ? look() : this.tenancy.enter(version.ownerTenantId, look);
  }

  private async lookAt(document: DocumentVersion): Promise<Examination> {
    const stored = await this.views.find(document);
    const passages = await this.views.findPassages(document);
    const found = { passages, stored };
    if (!stored) return { ...found, fault: 'nothing is stored of its ingest' };
    try {
      const accepted = await this.readSaid(stored.accepted);
      const completed = stored.completed ? await this.readSaid(stored.completed) : undefined;
      const fault = faultOf({ ...stored, document, passages, accepted, completed });
      if (fault !== undefined || completed) return { ...found, fault };
      const isUnsaid = await this.isUnsaid(stored, passages);
      return { ...found, fault: isUnsaid ? 'a passage of the version does not stand in its document' : undefined };
    } catch (error) {
      if (!(error instanceof Unfounded)) throw error;
      return { ...found, fault: error.message };
    }
  }

  /** The receipt, checked from its bytes: form, signature, chain and log. @throws Unfounded */
  private async readReceipt(receiptId: string): Promise<ReceiptPayload> {
    const stored = await this.records.find(receiptId);
    if (!stored) throw new Unfounded(`the receipt ${receiptId} of its ingest is gone`);
    const error = firstError(await this.checks.check(stored));
    if (error !== 'OK') throw new Unfounded(`the receipt ${receiptId} of its ingest does not hold: ${error}`);
    return openReceipt(stored.record).payload;
  }

  /** @throws Unfounded */
  private async readSaid({ ingestId, receiptId }: IngestReceipt): Promise<SaidByReceipt> {
    const payload = await this.readReceipt(receiptId);
    if (!isOfBatch(payload)) return { ingestId, payload, leaf: undefined };
    try {
      return { ingestId, payload, leaf: (await this.receipts.findLeaf(receiptId, payload, ingestId)).leaf };
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      throw new Unfounded(`the receipt ${receiptId} of its ingest does not hold: ${(error as Error).message}`);
    }
  }

  /** Whether a passage is neither a stretch of the document's text nor what its analysis makes of one (HTML). */
  private async isUnsaid({ content, contentType }: StoredVersion, passages: readonly PassageLeaf[]): Promise<boolean> {
    const rest = passagesOffText(content, passages);
    if (rest.length === 0) return false;
    const names = { tenantId: '', corpusId: '', docId: '', version: 1, title: '', day: 0 };
    const input = { ...names, content, contentType: contentType ?? undefined };
    // Only texts and places are compared: which ids the passages would get is all the same.
    const idKey = new Uint8Array(32);
    const groups = [{ language: 'english' as const, documents: [input] }];
    const [group] = await this.analysis.analyse({ idKey, groups });
    const made = group!.documents[0]!.chunks.map((chunk) =>
      spanKeyOf({ ...chunk, contentHash: `blake3:${chunk.contentHash}` }),
    );
    return rest.some((passage) => !made.includes(spanKeyOf(passage)));
  }

  /** Of another tenant's document it is only said whether it holds. */
  private findingOf(
    version: OwnedVersion,
    { fault, passages, stored }: Examination,
    passage?: RecordedPassage,
  ): ContentFinding {
    const isThere = passages.some(
      ({ chunkId, contentHash }) => chunkId === passage?.chunkId && contentHash === passage.contentHash,
    );
    const missing = passage && !isThere ? 'no such passage was ingested with the version' : undefined;
    const wrong = fault ?? missing;
    const isOwn = version.ownerTenantId === this.tenancy.tenant;
    if (!isOwn) return { ok: wrong === undefined, detail: wrong === undefined ? HELD : ALTERED };
    const by = stored?.completed ?? stored?.accepted;
    return { ok: wrong === undefined, detail: wrong ?? `as receipt ${by?.receiptId} of its ingest says` };
  }
}

const HELD = "as the receipt of its ingest says, which is its owner's to show";
const ALTERED = 'it is not what its owner ingested';
