import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SyncLocalStore } from './sync-local.store.js';
import type { KeptVersion, LocalState, SyncContent } from './sync-record.types.js';
import { SyncRecordsStore } from './sync-records.store.js';

/** Characters of content and vectors in an answer: what is taken from it fits into a request again. */
export const MAX_TEXT = 8 * 1024 * 1024;
/** Versions whose content is read together: a few at first, since each may have a MiB. */
const AT_FIRST = 32;
const AT_ONCE = 100;

export interface WholeVersion {
  readonly version: KeptVersion;
  /** Undefined of a deletion, and of what an incident has set aside. */
  readonly content: SyncContent | undefined;
}

export interface ReadContents {
  readonly versions: WholeVersion[];
  /** Whether the tables of the memory have another content of one of them: a local writer was there meanwhile. */
  readonly isBehind: boolean;
  /** About how many characters they are. */
  readonly text: number;
}

/** The content of versions: of those that are shown from the tables of the memory, held against their digests. */
@Injectable()
export class SyncContentsService {
  constructor(
    private readonly records: SyncRecordsStore,
    private readonly local: SyncLocalStore,
  ) {}

  /** In the open unit of work; in order, until they are so many characters together, at least one. */
  async read(versions: readonly KeptVersion[], maxText = Infinity): Promise<ReadContents> {
    const whole: WholeVersion[] = [];
    let isBehind = false;
    let text = 0;
    for (let from = 0, many = AT_FIRST; from < versions.length;) {
      const part = versions.slice(from, from + many);
      const { local, kept } = await this.load(part);
      for (const version of part) {
        const found = contentOf(version, local.get(version.key), kept);
        const own = lengthOfVector(version) + (found.content === undefined ? 0 : lengthOf(found.content));
        if (text + own > maxText && whole.length > 0) return { versions: whole, isBehind, text };
        text += own;
        isBehind ||= found.isBehind;
        whole.push({ version, content: found.content });
      }
      from += part.length;
      many = manyMore(maxText - text, text / from);
      await nextTurn();
    }
    return { versions: whole, isBehind, text };
  }

  private async load(versions: readonly KeptVersion[]) {
    const alive = versions.filter(({ isDeleted }) => !isDeleted);
    const shown = alive.filter(isShown);
    const local = shown.length === 0 ? new Map<string, LocalState>() : await this.local.read(unique(shown));
    return { local, kept: await this.records.readContents(alive.filter((version) => !isShown(version))) };
  }
}

/** How many are likely to fit, by how long those before them were. */
const manyMore = (left: number, average: number): number =>
  Math.max(1, Math.min(AT_ONCE, Math.ceil(left / Math.max(1, average))));

const isShown = ({ contentDigest, localDigest }: KeptVersion): boolean => contentDigest === localDigest;
const unique = (versions: readonly KeptVersion[]): KeptVersion[] => [
  ...new Map(versions.map((version) => [version.key, version])).values(),
];

function contentOf(
  version: KeptVersion,
  local: LocalState | undefined,
  kept: ReadonlyMap<string, SyncContent>,
): { content: SyncContent | undefined; isBehind: boolean } {
  if (version.isDeleted) return { content: undefined, isBehind: false };
  if (!isShown(version)) return { content: kept.get(version.digest), isBehind: false };
  if (local?.kind === 'present' && local.digest === version.contentDigest)
    return { content: local.content, isBehind: false };
  return { content: undefined, isBehind: local?.kind !== 'withheld' };
}

/** A number in a vector, and what is around it and its name. */
const NUMBER_TEXT = 20;

/** About as many characters as the vector of a version takes as JSON: some kilobytes where many servers write. */
export function lengthOfVector({ vector }: Pick<KeptVersion, 'vector'>): number {
  let length = 0;
  for (const origin of Object.keys(vector)) length += origin.length + NUMBER_TEXT;
  return length;
}

/** About as many characters as it takes as JSON. */
const lengthOf = (content: SyncContent): number =>
  typeof content['value'] === 'string' ? content['value'].length + 300 : JSON.stringify(content).length;
