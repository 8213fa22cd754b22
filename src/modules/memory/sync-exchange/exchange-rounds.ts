import { PeerAnswerBroken } from '../peers/peer-failures.types.js';
import type { Collection } from '../sync/sync.types.js';
import { basisOf, rootOf } from './exchange.rules.js';
import type { ExchangePasses } from './exchange-passes.js';
import { type ExchangeProgressStore, NO_PROGRESS, type PartProgress } from './exchange-progress.store.js';
import type { CollectionResult, ExchangeName, ExchangeReach, Manifest, SyncEnd } from './exchange.types.js';

/** Writers may be there all the time; what they write is for the next exchange. */
const MAX_ROUNDS = 4;

interface Manifests {
  readonly source: Manifest;
  readonly target: Manifest;
}

interface RoundParts {
  readonly name: ExchangeName;
  readonly source: SyncEnd;
  readonly target: SyncEnd;
  readonly reach: ExchangeReach;
  readonly store: ExchangeProgressStore;
  readonly passes: ExchangePasses;
}

/** Passes over the collections whose roots differ, until the target has what the source has. */
export class Rounds {
  private readonly parts = new Map<Collection, PartProgress>();
  /** The last pass of those that had one. */
  private readonly passed = new Map<Collection, 'full' | 'delta'>();

  constructor(private readonly given: RoundParts) {}

  async run(first: Manifests): Promise<CollectionResult[]> {
    const names = collectionsOf(first);
    const basis = basisOf(first.source, first.target, this.given.reach);
    const kept = await this.given.store.parts(this.given.name);
    for (const name of names) {
      const part = kept.get(name);
      this.parts.set(name, part?.basis === basis ? part : NO_PROGRESS(basis));
    }
    await this.noteEqual(names, first);
    let manifests = first;
    let open = names.filter((name) => !isEqualIn(first, name) && !this.isDone(name, first));
    for (let round = 1; open.length > 0 && round <= MAX_ROUNDS; round += 1) {
      for (const name of open) await this.pass(name, manifests);
      manifests = { source: await this.given.source.readManifest(), target: await this.given.target.readManifest() };
      for (const name of open) this.expectSaid(name, manifests);
      for (const name of open) await this.judge(name, manifests);
      open = open.filter((name) => this.isOpen(name, manifests));
    }
    return names.map((name) => this.resultOf(name, manifests));
  }

  private async pass(name: Collection, manifests: Manifests): Promise<void> {
    const before = this.parts.get(name)!;
    const isFull = before.pass === 'full' || (before.pass === null && (before.position === null || before.refused > 0));
    this.parts.set(name, await this.given.passes.run(name, before, manifests));
    this.passed.set(name, isFull ? 'full' : 'delta');
  }

  /**
   * Where nothing of a collection changed since a full pass of it began, its pages are what the manifest says.
   * @throws PeerAnswerBroken
   */
  private expectSaid(name: Collection, { source }: Manifests): void {
    const read = this.given.passes.roots.get(name);
    const said = rootOf(source, name);
    if (this.passed.get(name) !== 'full' || !read || !said || said.position > read.position) return;
    if (said.root !== read.root)
      throw new PeerAnswerBroken(
        this.given.name.peerId,
        'ROOT_UNVERIFIED',
        `answered pages of ${name} that are not what its manifest says`,
      );
  }

  /** After a pass: whether the target is known to have more than the source. */
  private async judge(name: Collection, manifests: Manifests): Promise<void> {
    const part = this.parts.get(name)!;
    const isFound = this.passed.get(name) === 'full' || part.isAhead;
    const isAhead = !isEqualIn(manifests, name) && isFound && part.refused === 0;
    // After changes alone roots may differ for a reason of old: all of it is compared once.
    const isDoubted = !isEqualIn(manifests, name) && !isFound;
    await this.keep(name, { ...part, isAhead, ...(isDoubted ? { position: null } : {}) });
  }

  /** What is equal anyhow needs only what comes after it. */
  private async noteEqual(names: readonly Collection[], manifests: Manifests): Promise<void> {
    for (const name of names) {
      const part = this.parts.get(name)!;
      const isNoted = part.position !== null && part.pass === null && part.refused === 0 && !part.isAhead;
      if (isEqualIn(manifests, name) && !isNoted)
        await this.keep(name, { ...NO_PROGRESS(part.basis), position: manifests.source.position });
    }
  }

  private async keep(name: Collection, part: PartProgress): Promise<void> {
    await this.given.store.save(this.given.name, name, part);
    this.parts.set(name, part);
  }

  /** The target has more than the source, and the source nothing new. */
  private isDone(name: Collection, { source }: Manifests): boolean {
    const { pass, position, isAhead } = this.parts.get(name)!;
    return pass === null && isAhead && position !== null && (rootOf(source, name)?.position ?? 0) <= position;
  }

  private isOpen(name: Collection, manifests: Manifests): boolean {
    if (isEqualIn(manifests, name)) return false;
    const { position } = this.parts.get(name)!;
    return position === null || (rootOf(manifests.source, name)?.position ?? 0) > position;
  }

  private resultOf(name: Collection, manifests: Manifests): CollectionResult {
    const source = rootOf(manifests.source, name)!;
    const target = rootOf(manifests.target, name)!;
    const { isAhead } = this.parts.get(name)!;
    return {
      collection: name,
      state: source.root === target.root ? 'equal' : isAhead ? 'complete' : 'unequal',
      ...{ source_root: source.root, target_root: target.root },
      ...{ source_count: source.count, target_count: target.count },
    };
  }
}

/** Those that both say something of, in the order of travel. */
const collectionsOf = ({ source, target }: Manifests): Collection[] =>
  source.collections.map(({ name }) => name).filter((name) => rootOf(target, name));

const isEqualIn = ({ source, target }: Manifests, name: Collection): boolean =>
  rootOf(source, name)?.root === rootOf(target, name)?.root;

/** Whether two manifests say the same of every collection that both know. */
export const isEqual = (source: Manifest, target: Manifest): boolean =>
  collectionsOf({ source, target }).every((name) => isEqualIn({ source, target }, name));
