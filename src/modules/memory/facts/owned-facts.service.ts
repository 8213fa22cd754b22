import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { FactWritesStore } from './fact-writes.store.js';
import { draftOf, writerOf } from './facts.service.js';
import { ownerOf } from './facts.rules.js';
import { VISIBILITY, type StoredFact } from './facts.types.js';
import type { OwnedFact, OwnedHead, OwnedName, OwnedSize, OwnedVersion } from './owned-facts.types.js';
import { OwnedFactsStore } from './owned-facts.store.js';

/**
 * Facts under reserved entities that a part of the daemon keeps: their owner is that part and not who writes, so that
 * one entity and key is one chain whoever writes. Legal holds, erasures, exports and receipts are those of all facts.
 * Every method works in the open unit of work; who writes locks the name first.
 */
@Injectable()
export class OwnedFactsService {
  constructor(
    private readonly facts: OwnedFactsStore,
    private readonly writes: FactWritesStore,
  ) {}

  /** Until the unit of work ends the chain stays as it is. @returns undefined for what was never stored */
  async lock(name: OwnedName): Promise<OwnedHead | undefined> {
    await this.facts.lock(name);
    return this.facts.findHead(name);
  }

  /** The next version. @param path where the value stands in the request, for what is wrong with it */
  async store(
    caller: DaemonCaller,
    { owner, entity, key }: OwnedName,
    value: string,
    path: string,
  ): Promise<StoredFact> {
    const fact = { entity, key, value, confidence: 1, private: true, horizon_class: 'permanent' as const };
    const draft = await draftOf(caller, fact, path);
    if (draft.visibility !== VISIBILITY.reserved) throw new Error(`${entity} is not under a reserved prefix`);
    const [stored] = await this.writes.storeInUnit([{ ...draft, owner }], writerOf(caller));
    return stored!;
  }

  /**
   * A deletion is a version as well; those before stay in the history.
   * @returns false where there is nothing to delete
   */
  async retire(caller: DaemonCaller, { chain }: OwnedHead): Promise<boolean> {
    const actor = caller.passport ?? ownerOf(caller.principal);
    return (await this.writes.retire(chain, actor, writerOf(caller))) === 'retired';
  }

  find(name: OwnedName): Promise<OwnedFact | undefined> {
    return this.facts.find(name);
  }

  /** By key, after the one given; '' for the first. */
  list(owner: string, entity: string, after: string, take: number): Promise<OwnedFact[]> {
    return this.facts.list(owner, entity, after, take);
  }

  /**
   * The facts of an entity that the caller stored itself, by key.
   * @returns undefined where they are too many, or too large, to be read at once
   */
  async listOwn({ principal }: DaemonCaller, entity: string, most: OwnedSize): Promise<OwnedFact[] | undefined> {
    const owner = ownerOf(principal);
    const { count, bytes } = await this.facts.measure({ owner, entity, key: '' });
    return count > most.count || bytes > most.bytes ? undefined : this.facts.list(owner, entity, '', most.count);
  }

  /** The entity's other facts. */
  measureOthers(name: OwnedName): Promise<OwnedSize> {
    return this.facts.measure(name);
  }

  /** Newest first, from the version before this one. */
  listVersions(name: OwnedName, before: number, take: number): Promise<OwnedVersion[]> {
    return this.facts.listVersions(name, before, take);
  }

  /** By seq. */
  readValues(versions: readonly OwnedVersion[]): Promise<Map<string, string>> {
    return this.facts.readValues(versions.map(({ seq }) => seq));
  }
}
