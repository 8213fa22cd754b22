import { expect, it } from 'vitest';
import type { Profile } from '../candidates.types.js';
import { compared, readSentence, shortName } from './extraction.rules.js';
import { sentencesOf } from './sentences.rules.js';

const read = (text: string, profile: Profile = 'default') =>
  [...sentencesOf(text)]
    .map((sentence) => readSentence(sentence, profile))
    .map((one) => one && [one.entity, one.key, one.value]);

it.each<[string, [string, string, string]]>([
  ['We decided to use PostgreSQL.', ['decisions', 'use_postgresql', 'use PostgreSQL']],
  ["Let's go with plan B!", ['decisions', 'go_with_plan_b', 'go with plan B']],
  ['Decision: no meetings on Friday', ['decisions', 'no_meetings_on_friday', 'no meetings on Friday']],
  ['To do: call Ada', ['tasks', 'call_ada', 'call Ada']],
  ['- [ ] call Ada', ['tasks', 'call-ada', 'call Ada']],
  ['Grace needs to renew the lease.', ['tasks', 'renew_the_lease', 'renew the lease']],
  ['I really prefer dark mode.', ['user', 'prefers:dark_mode', 'dark mode']],
  ['Ada: I prefer dark mode.', ['person:ada', 'prefers:dark_mode', 'dark mode']],
  ["Ada's favourite editor is Vim.", ['person:ada', 'favourite_editor', 'Vim']],
  ['Never push on Fridays.', ['user', 'rule:never_push_on_fridays', 'Never push on Fridays']],
  ['My name is Grace Hopper.', ['user', 'name', 'Grace Hopper']],
  ['Ada Lovelace works at Analytical Engines.', ['person:ada-lovelace', 'works_at', 'Analytical Engines']],
  ['My email is ada@example.org.', ['user', 'email', 'ada@example.org']],
  ['The deadline is 1 May.', ['deadline', 'is', '1 May']],
  ['On 12 March 2026 we met.', ['events', '12_march_2026:on_12_march_2026_we_met', 'On 12 March 2026 we met']],
])('reads %j', (text, expected) => {
  expect(read(text)[0]).toEqual(expected);
});

it.each(['What is the deadline?', 'It is raining.', 'Hello there.', 'x', '', '12:30', 'There is a way.'])(
  'reads nothing in %j',
  (text) => {
    expect(read(text).filter(Boolean)).toEqual([]);
  },
);

it('divides by lines and sentences, with places in the text, and not after abbreviations', () => {
  const text = '> Ada: I asked Dr. Who. He said no!\r\n1. next one\n\n   last';
  const found = [...sentencesOf(text)];
  expect(found.map((one) => one.text)).toEqual(['I asked Dr. Who.', 'He said no!', 'next one', 'last']);
  for (const { start, end, text: said } of found) expect(text.slice(start, end)).toBe(said);
  expect(found.map(({ speaker }) => speaker)).toEqual(['Ada', 'Ada', undefined, undefined]);
});

it('compares texts by their words', () => {
  expect(compared('  Dark\n MODE. ')).toBe('dark mode');
  expect(compared(`${'!'.repeat(200_000)}x`)).toHaveLength(200_001);
  expect(compared(`x${',;'.repeat(9)}`)).toBe('x');
  expect([shortName('Dark Mode!'), shortName('…'), shortName('x'.repeat(99)).length]).toEqual(['dark-mode', '', 64]);
});
