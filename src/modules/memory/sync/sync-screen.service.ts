import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import type { SyncContent } from './sync-record.types.js';

/** Texts are looked through together up to so many characters: a look has a price of its own. */
const TOGETHER = 8192;
/** No secret goes on over it. */
const BETWEEN = '\n\n';
/** Members that hold what people write; what names a record is no place for a secret to be looked for. */
const WRITTEN = ['value', 'payload', 'task', 'action', 'outcome', 'context', 'lesson', 'tags', 'reason'];

/** Finds secrets in content that came in: it is refused, for masked it would be another version. */
@Injectable()
export class SyncScreenService {
  constructor(private readonly screen: SecretScreen) {}

  /** @returns the kind of the first secret of each content that has one, by its place */
  async find(contents: readonly (SyncContent | null)[]): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    for (const group of groupsOf(contents.map(textOf))) {
      await nextTurn();
      const all = group.map(({ text }) => text).join(BETWEEN);
      if ((await this.screen.find(all)).length === 0) continue;
      for (const { place, text } of group) {
        const [secret] = await this.screen.find(text);
        if (secret) found.set(place, secret.name.replace(/^secret:/, ''));
      }
    }
    return found;
  }
}

const textOf = (content: SyncContent | null): string =>
  content === null ? '' : WRITTEN.flatMap((member) => textsIn(content[member])).join(BETWEEN);

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

interface Placed {
  place: number;
  text: string;
}

function* groupsOf(texts: readonly string[]): Generator<Placed[]> {
  let group: Placed[] = [];
  let size = 0;
  for (const [place, text] of texts.entries()) {
    if (text === '') continue;
    if (size + text.length > TOGETHER && group.length > 0) {
      yield group;
      group = [];
      size = 0;
    }
    group.push({ place, text });
    size += text.length;
  }
  if (group.length > 0) yield group;
}
