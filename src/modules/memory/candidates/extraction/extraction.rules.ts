import { blake3 } from '../../../../evidence/digest.js';
import type { Profile } from '../candidates.types.js';
import { PATTERNS, type Pattern } from './patterns.js';
import type { Sentence } from './sentences.rules.js';

/** What a text says, before it is compared with what is there. Places are those of the text that was read. */
export interface Proposal {
  entity: string;
  key: string;
  value: string;
  confidence: number;
  /** The pattern, or what a model is named. */
  by: string;
  start: number;
  end: number;
}

/** Words of a short name at most, in UTF-16 units. */
const MAX_SHORT = 64;

/** A name as entities and keys have it: `Dark Mode!` is `dark-mode`. */
export function shortName(text: string, joint = '-'): string {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  let name = '';
  for (const word of words) {
    if (name !== '' && name.length + joint.length + word.length > MAX_SHORT) break;
    name += name === '' ? word.slice(0, MAX_SHORT) : joint + word;
  }
  return name.toWellFormed();
}

/** What a sentence says by the first pattern that it has. */
export function readSentence(sentence: Sentence, profile: Profile): Proposal | undefined {
  const { start, end, speaker, isTodo } = sentence;
  if (sentence.text.endsWith('?')) return undefined;
  const said = sentence.text.replace(/\s+/gu, ' ').replace(/[.!;, ]{1,8}$/u, '');
  const wants = (one: Pattern['profile']) => profile === 'default' || profile === one;
  if (isTodo && wants('tasks') && said !== '') {
    const key = shortName(said);
    return key === '' ? undefined : { entity: 'tasks', key, value: said, confidence: 0.95, by: 'box', start, end };
  }
  for (const pattern of PATTERNS) {
    const groups = wants(pattern.profile) ? pattern.form.exec(said)?.groups : undefined;
    const read = groups && fill(pattern, groups, speaker);
    if (read) return { ...read, confidence: pattern.confidence, by: pattern.name, start, end };
  }
  return undefined;
}

function fill({ entity, key }: Pattern, groups: Record<string, string | undefined>, speaker: string | undefined) {
  const value = groups.value?.trim() ?? '';
  const parts: Record<string, string> = { speaker: personOf('I', speaker), who: personOf(groups.who, speaker) };
  const put = (template: string, joint: string) =>
    template.replace(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? shortName(groups[name] ?? '', joint));
  const filled = { entity: put(entity, '-'), key: put(key, '_').replace(/^(is|are|was|were)$/, 'is'), value };
  const isWhole = value !== '' && filled.entity !== '' && !filled.key.endsWith(':') && filled.key !== '';
  return isWhole ? filled : undefined;
}

/** Who `I` and a name are: `user` where nobody is named. */
function personOf(who: string | undefined, speaker: string | undefined): string {
  if (who !== undefined && !/^(?:I|[Mm]y)$/.test(who)) return `person:${shortName(who)}`;
  if (speaker === undefined || /^(?:user|human|system)$/i.test(speaker)) return 'user';
  return speaker === 'assistant' ? 'assistant' : `person:${shortName(speaker)}`;
}

/** A text as it is compared: case, spaces, forms of letters and end marks make no difference. */
export const compared = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
    // Without what stands before the group, a long row of marks would be looked at from each of them.
    .replace(/(?<![.!;,])[.!;,]+$/u, '');

type Named = Pick<Proposal, 'entity' | 'key'>;

export const nameDigest = ({ entity, key }: Named): Buffer =>
  Buffer.from(blake3(JSON.stringify([compared(entity), compared(key)])));

export const contentDigest = ({ entity, key, value }: Named & { value: string }): Buffer =>
  Buffer.from(blake3(JSON.stringify([compared(entity), compared(key), compared(value)])));

/** What stands in the place of a secret. */
export const holdsMask = (...texts: string[]): boolean => texts.some((text) => text.includes('[secret:'));
