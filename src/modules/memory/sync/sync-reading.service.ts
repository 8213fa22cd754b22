import { Injectable } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { readAs } from '../../../common/fields/contract.pipe.js';
import { readEach } from '../../../common/fields/read-each.js';
import { findFault as findJsonFault } from '../../../common/http/json-body.js';
import { invalidMembers, ValidationFailed } from '../../../common/problem/common-problems.js';
import { isReservedEntity } from '../facts/facts.service.js';
import { KindRules } from '../graph/kind-rules.service.js';
import { SyncCase, SyncEdge, SyncEntity, SyncFact, SyncHold, SyncRelation } from './sync-content.dto.js';
import { contentDigest } from './sync-digests.rules.js';
import { collectionOf, isHoldWithin, isReached } from './sync-ids.rules.js';
import { isReleased } from './sync-plan.rules.js';
import type { IncomingVersion, RecordCollection, SyncContent } from './sync-record.types.js';
import { SyncScreenService } from './sync-screen.service.js';
import { BrokenRecord, MAX_ORIGINS, versionOfRecord } from './sync-versions.rules.js';
import { SyncRecord } from './sync.dto.js';
import type { SyncReach } from './sync.types.js';

/** A record of a request, verified, with why it is not taken where it is not. */
export interface ReadRecord {
  readonly index: number;
  readonly version: IncomingVersion;
  readonly refusal: { readonly verdict: 'refused_scope' | 'refused_content'; readonly reason: string } | null;
}

const CONTENTS: Readonly<Record<RecordCollection, Type<object>>> = {
  facts: SyncFact,
  entities: SyncEntity,
  edges: SyncEdge,
  relations: SyncRelation,
  cases: SyncCase,
  holds: SyncHold,
};

/** Reads records that come from a peer: nothing of them is used before all is verified. */
@Injectable()
export class SyncReadingService {
  constructor(
    private readonly screen: SyncScreenService,
    private readonly kinds: KindRules,
  ) {}

  /**
   * @param allowlist prefixes of entities, in addition to the reach; none: no bound
   * @param where the path of the list
   * @throws ValidationFailed for a record that is not what it says of itself
   */
  async read(
    records: readonly unknown[],
    reach: SyncReach,
    allowlist: readonly string[],
    where: string,
  ): Promise<ReadRecord[]> {
    const versions: IncomingVersion[] = [];
    for await (const { item, path } of readEach(SyncRecord, records, where)) versions.push(verified(item, path));
    const secrets = await this.screen.find(versions.map(({ content }) => content));
    const read: ReadRecord[] = [];
    for (const [index, version] of versions.entries()) {
      const reason = refusedScope(version, reach, allowlist);
      const fault = reason === null ? await this.findFault(version, secrets.get(index)) : null;
      const refusal =
        reason !== null
          ? ({ verdict: 'refused_scope', reason } as const)
          : fault === null
            ? null
            : ({ verdict: 'refused_content', reason: fault } as const);
      read.push({ index, version, refusal });
    }
    return read;
  }

  /** Why the content is not taken. */
  private async findFault(
    { target, parts, vector, content, isDeleted }: IncomingVersion,
    secret?: string,
  ): Promise<string | null> {
    if (Object.keys(vector).length > MAX_ORIGINS) return `its vector names more than ${MAX_ORIGINS} origins`;
    if (isDeleted) return target === 'holds' ? 'a legal hold is released, and never deleted' : null;
    if (content === null) return 'it came without its content: ask for it with include_content';
    // What came in a request was looked at with it; what was asked for of a peer was not.
    const untaken = findJsonFault(content, 'content');
    if (untaken) return `${untaken.path} ${untaken.message}`;
    if (target === 'facts' && isReservedEntity(parts[0]!)) return 'entities under a reserved prefix do not travel';
    if (secret !== undefined) return `its content holds a secret (${secret}); masked it would be another version`;
    return findMisfit(target, parts, content) ?? (await this.findKindFault(target, content));
  }

  /** A kind that a module owns asks for a form; what it would change is refused. */
  private async findKindFault(target: RecordCollection, content: SyncContent): Promise<string | null> {
    if (target !== 'entities') return null;
    const { kind, id, payload } = content as { kind: string; id: string; payload: unknown };
    try {
      const prepared = await this.kinds.prepare(kind, id, payload, 'payload', 'id');
      const isSame = contentDigest({ payload: prepared }) === contentDigest({ payload });
      return isSame ? null : `the kind ${kind} would store another payload here`;
    } catch (error) {
      return reasonOf(error);
    }
  }
}

function verified(item: SyncRecord, path: string): IncomingVersion {
  try {
    return versionOfRecord(item, path);
  } catch (error) {
    throw error instanceof BrokenRecord ? invalidMembers([error.issue]) : error;
  }
}

function refusedScope(version: IncomingVersion, reach: SyncReach, allowlist: readonly string[]): string | null {
  // Of a hold without its content nobody knows what it pins.
  if (version.target === 'holds' && version.content === null && reach.prefixes !== 'all')
    return 'a hold without its content is within no prefix';
  const { collections } = reach;
  const isOfCollections = collections === 'all' || collections.has(collectionOf(version.target, version.isDeleted));
  if (!isOfCollections || !isReached(version, reach))
    return 'this peer may not write it: it is out of its collections or prefixes';
  if (version.target === 'holds' && isReleased(version.content) && !isHoldWithin(version.names, reach))
    return 'this peer does not reach all that the hold pins, so that it cannot release it; add the peer again with all prefixes of the hold';
  if (version.target === 'holds' && !reach.mayHold) return HOLDS_NEED;
  if (allowlist.length > 0 && !isReached(version, { ...reach, prefixes: allowlist }))
    return 'it is not in the allowlist';
  return null;
}

/** As the routes of legal holds do. */
export const HOLDS_NEED = 'placing and releasing legal holds takes the scope admin:write';

function findMisfit(target: RecordCollection, parts: readonly string[], content: SyncContent): string | null {
  try {
    readAs(CONTENTS[target], content, 'content');
  } catch (error) {
    return reasonOf(error);
  }
  const named = namesIn(target, content);
  if (named.some((part, place) => part !== parts[place])) return 'its content is of another id';
  if (target === 'facts' && isBackwards(content['valid_from'], content['valid_to']))
    return 'valid_to must be later than valid_from';
  if (target === 'relations' && (content['updated_at_micros'] as number) < (content['created_at_micros'] as number))
    return 'updated_at_micros must not be before created_at_micros';
  if (target !== 'holds') return null;
  if ((content['released_at'] === null) !== (content['released_by'] === null))
    return 'released_at and released_by are null together';
  return (content['entity_prefixes'] as string[]).includes('') ? 'entity_prefixes must not hold an empty one' : null;
}

const isBackwards = (from: unknown, to: unknown): boolean =>
  typeof from === 'string' && typeof to === 'string' && Date.parse(from) >= Date.parse(to);

const ID_MEMBERS: Readonly<Record<RecordCollection, readonly string[]>> = {
  facts: ['entity', 'key'],
  entities: ['kind', 'id'],
  edges: ['from_kind', 'from_id', 'edge_kind', 'to_kind', 'to_id'],
  relations: ['from_id', 'edge_type', 'to_id'],
  cases: ['case_id'],
  holds: ['hold_id'],
};

const namesIn = (target: RecordCollection, content: SyncContent): string[] =>
  ID_MEMBERS[target].map((member) => String(content[member]));

function reasonOf(error: unknown): string {
  if (error instanceof ValidationFailed) return error.message;
  throw error;
}
