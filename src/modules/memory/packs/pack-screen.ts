import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ScreenedSecret, SecretScreen } from '../../../common/screening/secret-screen.js';
import { mapTexts, memberOf } from './pack-reading.rules.js';
import type { ScreenedPlace } from './packs.types.js';

/** Texts are looked through together up to so many characters: a look has a price of its own. */
const TOGETHER = 8192;
/** No secret goes on over it. */
const BETWEEN = '\n\n';

interface Masked {
  text: string;
  screened: ScreenedSecret[];
}

/** Masks the secrets in the texts of a pack. */
@Injectable()
export class PackScreen {
  constructor(private readonly screen: SecretScreen) {}

  /** @returns the values with their secrets masked, in their order, and where in each secrets stood */
  async mask<T>(values: readonly T[]): Promise<{ value: T; screened: ScreenedPlace[] }[]> {
    const texts = new Set<string>();
    for (const value of values) mapTexts(value, (text) => (texts.add(text), text));
    const masked = await this.maskTexts([...texts]);
    if (masked.size === 0) return values.map((value) => ({ value, screened: [] }));
    return values.map((value) => {
      const screened: ScreenedPlace[] = [];
      const clean = mapTexts(value, (text, path) => {
        const found = masked.get(text);
        if (found) screened.push(...found.screened.map((secret) => ({ member: memberOf(path), ...secret })));
        return found?.text ?? text;
      });
      return { value: clean as T, screened };
    });
  }

  /** @returns those with a secret in them alone */
  private async maskTexts(texts: readonly string[]): Promise<Map<string, Masked>> {
    const masked = new Map<string, Masked>();
    for (const group of groupsOf(texts)) {
      await nextTurn();
      // A look at all of them says mostly that there is nothing; only else each is looked at.
      if ((await this.screen.find(group.join(BETWEEN))).length === 0) continue;
      for (const text of group) {
        const found = await this.screen.mask(text);
        if (found.screened.length > 0) masked.set(text, found);
      }
    }
    return masked;
  }
}

function* groupsOf(texts: readonly string[]): Generator<string[]> {
  let group: string[] = [];
  let size = 0;
  for (const text of texts) {
    if (size + text.length > TOGETHER && group.length > 0) {
      yield group;
      group = [];
      size = 0;
    }
    group.push(text);
    size += text.length;
  }
  if (group.length > 0) yield group;
}
