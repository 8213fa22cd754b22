/**
 * The Snowball English stemmer ("Porter2", snowballstem.org/algorithms/english/stemmer.html), for lower-case words
 * without apostrophes. The stemmer library's English module is the older Porter algorithm and drops the s or t before
 * -ion ("adoption" and "adopt" part).
 */
export function stemEnglish(word: string): string {
  if (word.length < 3) return word;
  const exception = WHOLE_WORDS.get(word);
  if (exception !== undefined) return exception;
  let stem = stepOneA(markConsonantY(word));
  if (AFTER_ONE_A.has(stem)) return stem;
  const [first, second] = regions(stem);
  stem = stepOneC(stepOneB(stem, first));
  stem = replaceSuffix(stem, STEP_TWO, (start, suffix, before) => {
    if (suffix === 'ogi') return start >= first && before === 'l';
    if (suffix === 'li') return start >= first && 'cdeghkmnrt'.includes(before);
    return start >= first;
  });
  stem = replaceSuffix(stem, STEP_THREE, (start, suffix) => start >= (suffix === 'ative' ? second : first));
  stem = replaceSuffix(stem, STEP_FOUR, (start, suffix, before) =>
    suffix === 'ion' ? start >= second && (before === 's' || before === 't') : start >= second,
  );
  return stepFive(stem, first, second).replaceAll('Y', 'y');
}

const WHOLE_WORDS = new Map([
  ...[['skis', 'ski'] as const, ['skies', 'sky'] as const, ['dying', 'die'] as const, ['lying', 'lie'] as const],
  ...[['tying', 'tie'] as const, ['idly', 'idl'] as const, ['gently', 'gentl'] as const, ['ugly', 'ugli'] as const],
  ...[['early', 'earli'] as const, ['only', 'onli'] as const, ['singly', 'singl'] as const],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word) => [word, word] as const),
]);
const AFTER_ONE_A = new Set(['inning', 'outing', 'canning', 'herring', 'earring', 'proceed', 'exceed', 'succeed']);

interface Rules {
  readonly replacements: ReadonlyMap<string, string>;
  /** The last letters of the suffixes: most words have none of them. */
  readonly endings: string;
}

const STEP_TWO: Rules = rules(
  'tional>tion enci>ence anci>ance abli>able entli>ent izer>ize ization>ize ational>ate ation>ate ator>ate alism>al aliti>al alli>al',
  'fulness>ful ousli>ous ousness>ous iveness>ive iviti>ive biliti>ble bli>ble ogi>og fulli>ful lessli>less li>',
);
const STEP_THREE: Rules = rules('tional>tion ational>ate alize>al icate>ic iciti>ic ical>ic ful> ness> ative>');
const STEP_FOUR: Rules = rules(
  'al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ism> ate> iti> ous> ive> ize> ion>',
);
const MAX_SUFFIX = 7;

const HAS_VOWEL = /[aeiouy]/;
const SHORT_SYLLABLE_END = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/;
const DOUBLE_END = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;

function rules(...lines: string[]): Rules {
  const all = lines.flatMap((line) => line.split(' ')).map((rule) => rule.split('>') as [string, string]);
  return { replacements: new Map(all), endings: all.map(([suffix]) => suffix.slice(-1)).join('') };
}

/** A y that begins the word or follows a vowel is a consonant: written Y until the end. */
function markConsonantY(word: string): string {
  return !word.includes('y') ? word : word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y');
}

/** Where R1 and R2 begin: after the first consonant that follows a vowel, and the same again within R1. */
function regions(word: string): [number, number] {
  const prefix = /^(?:gener|commun|arsen)/.exec(word);
  const first = prefix ? prefix[0].length : regionAfter(word, 0);
  return [first, regionAfter(word, first)];
}

function regionAfter(word: string, from: number): number {
  const match = /[aeiouy][^aeiouy]/.exec(word.slice(from));
  return match ? from + match.index + 2 : word.length;
}

function stepOneA(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ied') || word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1);
  if (!word.endsWith('s') || word.endsWith('us') || word.endsWith('ss')) return word;
  return HAS_VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function stepOneB(word: string, first: number): string {
  const suffix = /(?:eedly|ingly|edly|eed|ing|ed)$/.exec(word);
  if (!suffix) return word;
  const stem = word.slice(0, suffix.index);
  if (suffix[0].startsWith('eed')) return suffix.index >= first ? `${stem}ee` : word;
  if (!HAS_VOWEL.test(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (DOUBLE_END.test(stem)) return stem.slice(0, -1);
  return first >= stem.length && SHORT_SYLLABLE_END.test(stem) ? `${stem}e` : stem;
}

function stepOneC(word: string): string {
  return word.length > 2 && /[^aeiouy][yY]$/.test(word) ? `${word.slice(0, -1)}i` : word;
}

/** Replaces the longest suffix that has a rule, where the rule applies. */
function replaceSuffix(
  word: string,
  table: Rules,
  applies: (start: number, suffix: string, before: string) => boolean,
): string {
  if (!table.endings.includes(word.charAt(word.length - 1))) return word;
  for (let length = Math.min(MAX_SUFFIX, word.length); length > 1; length--) {
    const start = word.length - length;
    const suffix = word.slice(start);
    const replacement = table.replacements.get(suffix);
    if (replacement === undefined) continue;
    return applies(start, suffix, word.charAt(start - 1)) ? word.slice(0, start) + replacement : word;
  }
  return word;
}

function stepFive(word: string, first: number, second: number): string {
  const start = word.length - 1;
  const stem = word.slice(0, start);
  if (word.endsWith('e')) {
    return start >= second || (start >= first && !SHORT_SYLLABLE_END.test(stem)) ? stem : word;
  }
  return word.endsWith('ll') && start >= second ? stem : word;
}
