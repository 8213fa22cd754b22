import { expect, test } from 'vitest';
import { analyzerFor } from './analysis.js';
import { LANGUAGES } from './languages.js';

test('English words are folded, stopped and stemmed, repeats kept', () => {
  expect(analyzerFor('english').analyze('The ADOPTIONS of adopted ﬁles: IL-6 and the Files')).toEqual([
    'adopt',
    'adopt',
    'file',
    'il',
    '6',
    'file',
  ]);
});

test('a word with an apostrophe is a stop word as a whole, or its long parts count', () => {
  expect(analyzerFor('english').analyze("don’t touch the dog's bone, it's O'Neill's")).toEqual([
    'touch',
    'dog',
    'bone',
    'neill',
  ]);
  expect(analyzerFor('french').analyze("l'avion d’Étienne")).toEqual(['avion', 'étien']);
});

test('scripts without spaces become overlapping pairs, next to words of other scripts', () => {
  expect(analyzerFor('simple').analyze('東京都のPython言語と字')).toEqual([
    '東京',
    '京都',
    '都の',
    'python',
    '言語',
    '語と',
    'と字',
  ]);
  expect(analyzerFor('simple').analyze('字')).toEqual(['字']);
});

test('simple neither stems nor stops', () => {
  expect(analyzerFor('simple').analyze('The Running dogs')).toEqual(['the', 'running', 'dogs']);
});

test('text of the same letters in composed and decomposed form gives the same terms', () => {
  for (const language of LANGUAGES) {
    const analyzer = analyzerFor(language);
    expect(analyzer.analyze('Zo\u00eb caf\u00e9s')).toEqual(analyzer.analyze('Zoe\u0308 cafe\u0301s'));
  }
});

test('what is not shown within a word does not divide it', () => {
  for (const sign of ['\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u2060\u00ad']) {
    expect(analyzerFor('simple').analyze(`Daten${sign}bank cafe${sign}\u0301`)).toEqual(['datenbank', 'caf\u00e9']);
    expect(analyzerFor('simple').analyze(`a ${sign} b-${sign}c`)).toEqual(['a', 'b', 'c']);
  }
  const german = analyzerFor('german');
  const [word] = german.analyze('Rechtsschutzversicherungsgesellschaft');
  expect(german.analyze('Rechtsschutz\u00adversicherungs\u00adgesellschaft')).toEqual([word]);
  expect(analyzerFor('simple').analyze('\u0915\u094d\u200d\u0937')).toEqual(['\u0915\u094d\u0937']);
});

test('it divides words where a script writes it for that', () => {
  const simple = analyzerFor('simple');
  expect(simple.analyze('\u0645\u06cc\u200c\u062e\u0648\u0627\u0646\u0645')).toEqual([
    '\u0645\u06cc',
    '\u062e\u0648\u0627\u0646\u0645',
  ]);
  expect(simple.analyze('\u0e14\u0e35\u200b\u0e21\u0e32\u0e01')).toEqual(
    simple.analyze('\u0e14\u0e35 \u0e21\u0e32\u0e01'),
  );
});

test('Turkish has its own letter case', () => {
  const turkish = analyzerFor('turkish');
  for (const [written, meant] of [
    ['\u0130STANBUL', 'istanbul'],
    ['I\u0307STANBUL', 'istanbul'],
    ['\u0130zmir', 'izmir'],
    ['IRMAK', '\u0131rmak'],
    ['ISPARTA', '\u0131sparta'],
    ['KITAPLARI', 'k\u0131taplar\u0131'],
  ] as const)
    expect(turkish.analyze(written), written).toEqual(turkish.analyze(meant));
  expect(turkish.analyze('ilk ISPARTA ilk')).not.toContain('isparta');
});

test('a capital i with a dot is an i in other languages', () => {
  for (const text of ['\u0130stanbul', 'I\u0307stanbul', 'i\u0307stanbul'])
    expect(analyzerFor('english').analyze(text)).toEqual(analyzerFor('english').analyze('istanbul'));
});

test('nothing but marks, lone surrogates and controls gives no terms', () => {
  expect(analyzerFor('english').analyze('… — \ud800 \u0000 !!')).toEqual([]);
});

test('long runs are cut to 64 units, never within a character', () => {
  expect(analyzerFor('simple').analyze('a'.repeat(200))).toEqual(['a'.repeat(64)]);
  const [term] = analyzerFor('simple').analyze(`a${'𝒳'.repeat(10)}${'\u{1F1E6}'}`);
  expect(term).toBe(`a${'x'.repeat(10)}`);
  const [cut] = analyzerFor('simple').analyze(`a${'\u{10400}'.repeat(100)}`);
  expect(cut).toBe(`a${'\u{10428}'.repeat(31)}`);
});

test('text in ASCII gives the terms that it gives next to text in other scripts', () => {
  for (const language of LANGUAGES) {
    const analyzer = analyzerFor(language);
    for (const text of textsOf("aZ9' ", 6))
      expect(analyzer.analyze(`${text} 東`)).toEqual([...analyzer.analyze(text), '東']);
  }
});

/** All texts of at most so many of these characters. */
function textsOf(characters: string, length: number): string[] {
  const shorter = length === 0 ? [] : textsOf(characters, length - 1);
  const longest = shorter.filter((text) => text.length === length - 1);
  return length === 0 ? [''] : [...shorter, ...longest.flatMap((text) => [...characters].map((next) => text + next))];
}
