import { PeerAnswerBroken, PeerAnswerUnusable } from '../peers/peer-failures.types.js';
import { GrowingRoot, named, type SyncRecord, unnamed } from '../sync/sync-wire.types.js';
import type { Collection } from '../sync/sync.types.js';
import { asUnapplied, batchesOf, groupByRecord, placeAfter, placeAt, rootOf, wantedOf } from './exchange.rules.js';
import type { ExchangeProgressStore, PartProgress } from './exchange-progress.store.js';
import type { ExchangeName, Known, Manifest, Page, Pass, Progress, SyncEnd, Unapplied } from './exchange.types.js';

const DIGESTS_A_PAGE = 5000;
const RECORDS_A_PAGE = 2000;
const MAX_LISTED = 100;

export interface PassEnds {
  readonly name: ExchangeName;
  readonly source: SyncEnd;
  readonly target: SyncEnd;
  readonly report: (progress: Progress) => void;
}

/** What became of all records that were sent. */
class Outcome {
  readonly counts = new Map<string, number>();
  readonly unapplied: Unapplied[] = [];
  unappliedCount = 0;

  add(counts: readonly { verdict: string; count: number }[], unapplied: readonly Unapplied[]): void {
    for (const { verdict, count } of counts) this.counts.set(verdict, (this.counts.get(verdict) ?? 0) + count);
    this.unapplied.push(...unapplied.slice(0, MAX_LISTED - this.unapplied.length).map(asUnapplied));
    this.unappliedCount += unapplied.length;
  }

  get taken(): number {
    return ['apply', 'tombstone', 'conflict_kept', 'refused_hold'].reduce(
      (sum, verdict) => sum + (this.counts.get(verdict) ?? 0),
      0,
    );
  }

  /** Whether the target was sent anything. */
  get isSomething(): boolean {
    return this.counts.size > 0;
  }
}

/** What the pages of a full pass were, all together. */
interface PassRoot {
  /** Of the source, as the pass began. */
  readonly position: number;
  readonly root: string;
}

/** Brings what a source has of a collection to a target, page by page; each page is kept as done with its records. */
export class ExchangePasses {
  readonly outcome = new Outcome();
  /** Of the collections whose last pass was a full one. */
  readonly roots = new Map<Collection, PassRoot>();

  constructor(
    private readonly ends: PassEnds,
    private readonly store: ExchangeProgressStore,
  ) {}

  /**
   * Goes on where one that was cut off had come to.
   * @returns how far the target is now
   * @throws PeerAnswerUnusable for pages that do not go on: a pass over them would not end
   */
  async run(
    collection: Collection,
    before: PartProgress,
    manifests: { source: Manifest; target: Manifest },
  ): Promise<PartProgress> {
    const first = begun(before, manifests.source.position);
    const { pass } = first;
    let part: PartProgress = first;
    const of = rootOf(manifests.source, collection)?.count ?? 0;
    const isWhole = pass === 'full' && isMostlyMissing(collection, manifests);
    let done = 0;
    let place = pass === 'delta' ? placeAt(first.position!) : '';
    for (;;) {
      const page = await this.readPage(collection, part, isWhole);
      place = this.expectAfter(collection, pass, page, place);
      done += page.items.length;
      const next = this.partAfter(collection, part, page);
      part = await this.bring(collection, page, isWhole, next);
      this.ends.report({ collection, pass, done, of: pass === 'full' ? of : done });
      if (page.next_cursor === null) return part;
    }
  }

  private readPage(collection: Collection, { pass, position, cursor }: PartProgress, isWhole: boolean): Promise<Page> {
    return this.ends.source.readPage(collection, {
      limit: isWhole ? RECORDS_A_PAGE : DIGESTS_A_PAGE,
      include_content: isWhole,
      ...(pass === 'delta' ? { since: position! } : {}),
      ...(cursor === null ? {} : { cursor }),
    });
  }

  private expectAfter(collection: Collection, pass: Pass, page: Page, after: string): string {
    const place = placeAfter(collection, pass, page, after);
    if (place !== undefined) return place;
    throw new PeerAnswerUnusable(
      this.ends.name.peerId,
      `answered a page of ${collection} with nothing that comes after the page before; nothing of the page was taken`,
    );
  }

  /** Once the page is taken. @throws PeerAnswerBroken */
  private partAfter(collection: Collection, part: PartProgress, page: Page): PartProgress {
    const tree = part.pass === 'full' ? this.grown(collection, part.tree, page) : undefined;
    if (page.next_cursor !== null) return { ...part, cursor: page.next_cursor, tree: tree?.toText() ?? null };
    if (tree) this.roots.set(collection, { position: part.passPosition!, root: named(tree.root) });
    return { ...part, position: part.passPosition, pass: null, passPosition: null, cursor: null, tree: null };
  }

  /** @throws PeerAnswerBroken where the page does not go on from those before it */
  private grown(collection: Collection, before: string | null, { items, root_so_far }: Page): GrowingRoot {
    const tree = (before === null ? undefined : GrowingRoot.parse(before)) ?? GrowingRoot.empty();
    for (const { digest } of items) tree.add(Buffer.from(unnamed(digest), 'hex'));
    if (root_so_far !== named(tree.root))
      throw new PeerAnswerBroken(
        this.ends.name.peerId,
        'ROOT_UNVERIFIED',
        `answered a page of ${collection} that does not go on from those before it; nothing of the page was taken`,
      );
    return tree;
  }

  /** @returns what was kept of the progress */
  private async bring(collection: Collection, page: Page, isWhole: boolean, next: PartProgress): Promise<PartProgress> {
    let { refused } = next;
    let waiting: SyncRecord[] | undefined;
    const take = async (records: SyncRecord[], save: () => Promise<void>) => {
      const { counts, unapplied } = await this.ends.target.take(records, save);
      this.outcome.add(counts, unapplied);
      refused += this.refusedIn(counts);
    };
    const contents = isWhole ? [page.items] : this.lacking(collection, page);
    for await (const records of contents)
      for (const batch of batchesOf(records)) {
        if (waiting) await take(waiting, () => Promise.resolve());
        waiting = batch.length > 0 ? batch : undefined;
      }
    // Of the last batch it is known only when it is taken what is refused of it: it is kept once more then.
    const keep = () => this.store.save(this.ends.name, collection, { ...next, refused });
    const before = refused;
    if (waiting) await take(waiting, keep);
    if (!waiting || refused !== before) await keep();
    return { ...next, refused };
  }

  /** What of a page the target does not have, with its content. */
  private async *lacking(collection: Collection, page: Page): AsyncGenerator<SyncRecord[]> {
    if (page.items.length === 0) return;
    const there = groupByRecord(page.items);
    const { unknown } = await this.ends.target.compare(collection, there, false);
    let wanted: Known[] = wantedOf(there, unknown);
    while (wanted.length > 0) {
      const { missing, next_item } = await this.ends.source.compare(collection, wanted, true);
      yield missing;
      wanted = next_item === null ? [] : wanted.slice(next_item);
    }
  }

  /** What this daemon does not open to the peer is not exchanged at all; what the peer refuses is lacking there. */
  private refusedIn(counts: readonly { verdict: string; count: number }[]): number {
    return counts
      .filter(({ verdict }) => verdict === 'refused_content' || (verdict === 'refused_scope' && this.isPush))
      .reduce((sum, { count }) => sum + count, 0);
  }

  private get isPush(): boolean {
    return this.ends.name.way === 'push';
  }
}

/** Goes on with the pass that was cut off, or begins one at a position of the source. */
function begun(before: PartProgress, passPosition: number): PartProgress & { pass: Pass } {
  const { pass } = before;
  // Without the tree of the pages before, the next one could not be held against them.
  if (pass === 'full' && before.tree === null) return { ...before, pass, cursor: null, refused: 0 };
  if (pass !== null) return { ...before, pass };
  const fresh = { ...before, passPosition, cursor: null, tree: null };
  const isFull = before.position === null || before.refused > 0;
  return isFull ? { ...fresh, pass: 'full', refused: 0 } : { ...fresh, pass: 'delta' };
}

function isMostlyMissing(collection: Collection, { source, target }: { source: Manifest; target: Manifest }): boolean {
  return (rootOf(target, collection)?.count ?? 0) * 2 < (rootOf(source, collection)?.count ?? 0);
}
