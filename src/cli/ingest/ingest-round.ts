import { ApiFailure, type ApiClient } from '../../common/client/api-client.js';
import type { Progress } from '../progress-output.js';
import { DocumentSender, type DocumentFacts } from './document-sender.js';
import type {
  DocumentOrigin,
  FoundFile,
  FoundText,
  IngestReport,
  KnownDocument,
  LeftOut,
  Source,
  SourceEntry,
} from './sources.types.js';
import { documentPath, readDocuments } from './server-documents.js';

/** Asked before documents of a root are deleted. */
type Agree = (docIds: readonly string[], root: string) => Promise<boolean>;

export interface IngestPlan {
  corpus: string;
  sources: readonly Source[];
  /** Says what would be done, and does nothing. */
  isDry: boolean;
  /** Deletes what is no longer there, once this agrees. */
  prune?: Agree;
  /** Takes over documents of the same name from elsewhere. */
  replaces: boolean;
  shareability?: string;
  language?: string;
}

/** Brings a corpus to what its sources hold, again and again: it keeps what it learned of the server. */
export class IngestRounds {
  private known: Map<string, KnownDocument> | undefined;

  constructor(
    private readonly client: ApiClient,
    private readonly plan: IngestPlan,
  ) {}

  /**
   * @param showBar how far it is
   * @throws ApiFailure when the server refuses or is away: what was accepted until then stays
   */
  async run(showBar: (what: string, total: number) => Progress): Promise<IngestReport> {
    this.known ??= await readDocuments(this.client, this.plan.corpus);
    const round = new Round(this.client, this.plan, this.known, showBar);
    for (const source of this.plan.sources) await round.read(source);
    return round.end();
  }
}

/** One pass over the sources. */
class Round {
  private readonly sender: DocumentSender;
  private readonly report: IngestReport;
  /** What the sources have now: docId and address. */
  private readonly present = new Map<string, string>();
  /** What was read, each source with what it could not say of. */
  private readonly looked: { source: Source; kept: string[] }[] = [];
  /** Entries that the corpus has or gets. */
  private taken = 0;
  private readonly sending = new Map<string, KnownDocument>();

  constructor(
    private readonly client: ApiClient,
    private readonly plan: IngestPlan,
    private readonly known: Map<string, KnownDocument>,
    private readonly showBar: (what: string, total: number) => Progress,
  ) {
    this.sender = new DocumentSender(client);
    this.report = { corpus: plan.corpus, sent: [], unchanged: 0, deleted: [], failed: [], leftOut: [] };
  }

  async read(source: Source): Promise<void> {
    const { entries, leftOut } = await source.list();
    const before = { leftOut: this.report.leftOut.length, taken: this.taken };
    this.report.leftOut.push(...leftOut);
    const kept = leftOut.filter(({ byRule }) => !byRule).map(({ name }) => name);
    const bar = this.showBar('read', entries.length);
    try {
      for (const [index, entry] of entries.entries()) {
        if (!(await this.take(entry, source.root))) kept.push(entry.docId);
        bar.update(index + 1);
      }
    } finally {
      bar.stop();
    }
    this.looked.push({ source, kept });
    if (this.taken === before.taken) this.failNamed(source, this.report.leftOut.splice(before.leftOut));
  }

  /** Says of a source that gave nothing what was left out, or where it was named for what it has, that it failed. */
  private failNamed(source: Source, leftOut: readonly LeftOut[]): void {
    const { failed, leftOut: all } = this.report;
    const isGone = this.plan.prune && [...this.known.keys()].some((docId) => source.covers(docId));
    if (source.named === undefined || isGone) return void all.push(...leftOut);
    if (leftOut.length === 1) return void failed.push(...leftOut);
    const reason = leftOut.length === 0 ? 'nothing is there of this name' : `all ${leftOut.length} of it were left out`;
    failed.push({ name: source.named, reason });
    all.push(...leftOut);
  }

  async end(): Promise<IngestReport> {
    const { sender, report } = this;
    if (!this.plan.isDry) await this.settle();
    report.failed.push(...sender.failed);
    report.leftOut.push(...sender.leftOut);
    const lost = new Set([...sender.failed, ...sender.leftOut].map(({ name }) => name));
    report.sent = report.sent.filter((docId) => !lost.has(docId));
    for (const docId of report.sent) this.known.set(docId, this.sending.get(docId)!);
    const { prune } = this.plan;
    if (prune)
      for (const one of this.looked) await this.delete(this.missing(one.source, one.kept), one.source.root, prune);
    return report;
  }

  private async settle(): Promise<void> {
    await this.sender.flush();
    if (this.sender.accepted === 0) return;
    const bar = this.showBar('searchable', this.sender.accepted);
    try {
      await this.sender.settle((done) => bar.update(done));
    } finally {
      bar.stop();
    }
  }

  /** @returns whether it is accounted for; what is not may not be pruned either */
  private async take(entry: SourceEntry, root: string): Promise<boolean> {
    const { docId, url } = entry;
    const known = this.known.get(docId);
    if (this.present.get(docId) === url) {
      this.taken += 1;
      return true;
    }
    const other = this.faultOf(entry, root, known);
    if (other !== undefined) return this.drop(docId, { reason: other });
    this.present.set(docId, url);
    const origin = known?.url === url ? known.origin : undefined;
    const isShared = this.isShared(known);
    const found = await entry.read(isShared ? origin : undefined);
    if (found.kind === 'left out') return this.drop(docId, found);
    this.taken += 1;
    if (found.kind === 'unchanged' || (isShared && found.digest === origin?.digest)) this.report.unchanged += 1;
    else await this.send(entry, found, origin && !this.plan.replaces ? origin.root : root);
    return true;
  }

  private isShared(known: KnownDocument | undefined): boolean {
    const { shareability } = this.plan;
    return shareability === undefined || shareability === known?.shareability;
  }

  private drop(docId: string, { reason, byRule }: Omit<LeftOut, 'name'>): boolean {
    this.report.leftOut.push({ name: docId, reason });
    if (byRule) this.present.delete(docId);
    return byRule === true;
  }

  /** What keeps an entry from having its name: something else has it. */
  private faultOf({ docId, url }: SourceEntry, root: string, known: KnownDocument | undefined): string | undefined {
    if (this.present.has(docId)) return 'another file or page of this run has the same name';
    const isOwn = known === undefined || known.url === url || known.origin?.root === root || this.plan.replaces;
    return isOwn ? undefined : describeOther(known);
  }

  private async send({ docId, url }: SourceEntry, found: FoundText | FoundFile, root: string): Promise<void> {
    const { corpus, shareability, language, isDry } = this.plan;
    const { digest, etag, lastModified } = found;
    const origin: DocumentOrigin = {
      root,
      digest,
      ...(etag === undefined ? {} : { etag }),
      ...(lastModified === undefined ? {} : { lastModified }),
    };
    this.report.sent.push(docId);
    this.sending.set(docId, { url, shareability: shareability ?? 'owner_only', origin });
    if (isDry) return;
    const facts: DocumentFacts = {
      corpusId: corpus,
      docId,
      url,
      ...(shareability === undefined ? {} : { shareability }),
      metadata: { source: origin, ...(language === undefined ? {} : { language }) },
    };
    if (found.kind === 'text') await this.sender.sendText(facts, found);
    else await this.sender.sendFile(facts, found);
  }

  /** Documents of the corpus that came from a source and are no longer there; never those of others. */
  private missing(source: Source, kept: readonly string[]): string[] {
    const names = new Set(kept.map((name) => name.replace(/\/$/, '')));
    // Brought in with another --prefix, a file has another docId and the same address.
    const urls = new Set(this.present.values());
    const isThere = (docId: string, url: string | null | undefined): boolean =>
      this.present.has(docId) || isIn(names, docId) || (typeof url === 'string' && urls.has(url));
    return [...this.known]
      .filter(
        ([docId, { origin, url }]) => origin?.root === source.root && source.covers(docId) && !isThere(docId, url),
      )
      .map(([docId]) => docId);
  }

  private async delete(docIds: readonly string[], root: string, agree: Agree): Promise<void> {
    const { corpus, isDry } = this.plan;
    if (docIds.length === 0) return;
    if (isDry) return void this.report.deleted.push(...docIds);
    if (!(await agree(docIds, root))) return;
    for (const docId of docIds) {
      try {
        await this.client.delete(documentPath(corpus, docId));
      } catch (error) {
        if (!(error instanceof ApiFailure) || ![404, 409].includes(error.status)) throw error;
        if (error.status === 409) {
          this.report.failed.push({ name: docId, reason: error.message });
          continue;
        }
      }
      this.known.delete(docId);
      this.report.deleted.push(docId);
    }
  }
}

/** Whether a path or a folder that it is in is among the names. */
function isIn(names: ReadonlySet<string>, path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (names.has(path.slice(0, end))) return true;
  return false;
}

const describeOther = ({ origin, url }: KnownDocument): string =>
  `the corpus has a document of this name from ${origin?.root ?? url ?? 'elsewhere'} (--replace, --prefix or another corpus)`;
