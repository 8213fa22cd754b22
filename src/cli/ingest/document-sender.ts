import { ApiFailure, type ApiClient } from '../../common/client/api-client.js';
import type { DocumentInput, IngestAccepted } from '../../common/client/api-replies.js';
import { batchesOf, sendBatch, untilSettled, type WaitingIngest } from '../../common/client/ingest-documents.js';
import type { FoundFile, FoundText, LeftOut } from './sources.types.js';

/** Answers about one document; any other is about the whole run. */
const REFUSED = new Set([400, 413, 415, 422]);
/** Texts that are gathered before they are sent; a kill loses no more. */
const GATHERED = 50;
const GATHERED_UNITS = 1_000_000;

/** What goes with a text or a file, without its content. */
export type DocumentFacts = Omit<DocumentInput, 'content' | 'title'>;

/** Sends documents, texts together and files one by one, and knows what became of each. */
export class DocumentSender {
  readonly failed: LeftOut[] = [];
  readonly leftOut: LeftOut[] = [];
  private gathered: DocumentInput[] = [];
  private units = 0;
  private readonly waiting: WaitingIngest[] = [];
  private takesFiles = true;

  constructor(private readonly client: ApiClient) {}

  /** How many are on their way. */
  get accepted(): number {
    return this.waiting.length;
  }

  async sendText(facts: DocumentFacts, { text, title, contentType }: FoundText): Promise<void> {
    const metadata = { ...facts.metadata, contentType };
    this.gathered.push({ ...facts, title, content: text, metadata });
    this.units += text.length;
    if (this.gathered.length >= GATHERED || this.units >= GATHERED_UNITS) await this.flush();
  }

  async sendFile(facts: DocumentFacts, { bytes, fileName, contentType }: FoundFile): Promise<void> {
    if (!this.takesFiles) return this.leaveOut(facts.docId, NO_FILES);
    const { metadata, shareability, ...members } = facts;
    const query = new URLSearchParams({
      ...members,
      fileName,
      ...(shareability === undefined ? {} : { shareability }),
      metadata: JSON.stringify(metadata),
    });
    try {
      const { ingestId } = await this.client.upload<IngestAccepted>(
        `/v1/ingest/file?${query.toString()}`,
        bytes,
        contentType,
      );
      this.waiting.push({ ingestId, docId: facts.docId });
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      this.takesFiles = error.status !== 404;
      if (!this.takesFiles) return this.leaveOut(facts.docId, NO_FILES);
      if (!REFUSED.has(error.status)) throw error;
      this.failed.push({ name: facts.docId, reason: error.message });
    }
  }

  /**
   * Waits until each is searchable or failed.
   * @param settled called with how many are done
   */
  async settle(settled: (done: number) => void): Promise<void> {
    let done = 0;
    await untilSettled(this.client, this.waiting, ({ docId }, { status, error }) => {
      if (status === 'failed') this.failed.push({ name: docId, reason: error ?? 'no reason given' });
      settled(++done);
    });
  }

  /** Sends what was gathered. */
  async flush(): Promise<void> {
    const { gathered } = this;
    [this.gathered, this.units] = [[], 0];
    for (const batch of batchesOf(gathered)) await this.send(batch);
  }

  /** A batch is taken whole or not at all: where one is refused its halves are tried, until it is found. */
  private async send(batch: readonly DocumentInput[]): Promise<void> {
    try {
      this.waiting.push(...(await sendBatch(this.client, batch)));
    } catch (error) {
      if (!(error instanceof ApiFailure) || !REFUSED.has(error.status)) throw error;
      const [first] = batch;
      if (batch.length === 1) return void this.failed.push({ name: first!.docId, reason: error.message });
      const middle = batch.length >> 1;
      await this.send(batch.slice(0, middle));
      await this.send(batch.slice(middle));
    }
  }

  private leaveOut(name: string, reason: string): void {
    this.leftOut.push({ name, reason });
  }
}

const NO_FILES = 'the server takes no files (POST /v1/ingest/file): is it an older svc?';
