import type { Profile } from '../candidates.types.js';

/**
 * A form of statement. Names in braces stand for groups of the form, made short names: `{subject}`; `{who}` is the one
 * that the statement is about, `{speaker}` the one that says it.
 */
export interface Pattern {
  name: string;
  profile: Exclude<Profile, 'default'> | 'general';
  /** Of a sentence without its end mark; the group `value` is what is remembered. */
  form: RegExp;
  entity: string;
  key: string;
  confidence: number;
}

const NAME = String.raw`\p{Lu}[\p{L}'-]{1,30}(?: \p{Lu}[\p{L}'-]{1,30}){0,2}`;
const WHO = String.raw`(?<who>I|${NAME})`;
const VALUE = String.raw`(?<value>\S.*)`;
const form = (...parts: string[]): RegExp => new RegExp(`^${parts.join('')}$`, 'u');

const MONTHS =
  '(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)';
const DATE = String.raw`(?<date>\d{4}-\d{2}-\d{2}|\d{1,2}(?:st|nd|rd|th)? ${MONTHS}\.? \d{4}|${MONTHS}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})`;

/** In this order: the first that a sentence has is what it says. */
export const PATTERNS: readonly Pattern[] = [
  ...group('tasks', 'tasks', '{value}', [
    ['todo', 0.95, form('(?:TO-?DO|To-?[Dd]o|FIX-?ME|Action item|Action|Next step|To do)\\s?[:\\-–]\\s{0,4}', VALUE)],
    ['remember-to', 0.8, form("(?:[Pp]lease )?(?:[Rr]emember|[Dd]on't forget|[Rr]emind me) to ", VALUE)],
    ['has-to', 0.7, form(`(?:I|[Ww]e|You|you|${NAME}) (?:still )?(?:need|needs|have|has|got) to `, '(?<value>\\S.*)')],
    ['must', 0.65, form(`(?:I|[Ww]e|${NAME}) must `, '(?!not\\b)', VALUE)],
  ]),
  ...group('decisions', 'decisions', '{value}', [
    ['decision', 0.95, form('(?:Decision|Decided|Agreed)\\s?:\\s{0,4}', VALUE)],
    [
      'decided',
      0.9,
      form(
        `(?:I|[Ww]e|[Tt]he team|[Tt]he group|${NAME}) (?:have |has )?(?:finally |now )?(?:decided|agreed|resolved|opted|chosen|chose)`,
        '(?: to| on| for| that)? ',
        VALUE,
      ),
    ],
    ['it-was-decided', 0.9, form('[Ii]t (?:was|has been) (?:decided|agreed) (?:to|that|on) ', VALUE)],
    [
      'we-will',
      0.75,
      form(
        "(?:We'll|we'll|We will|we will|We are going to|we are going to|Let's|let's) ",
        '(?<value>(?:go with|use|adopt|switch to|move to|keep|drop|stay with) .+)',
      ),
    ],
  ]),
  { ...favourite(`(?<who>My|my|${NAME}(?='s))(?:'s)?`) },
  ...group('preferences', '{who}', 'prefers:{value}', [
    ['prefers', 0.85, form(WHO, ' (?:really |also |usually |still |much )?prefers? ', VALUE)],
  ]),
  ...group('preferences', '{who}', 'likes:{value}', [
    ['likes', 0.75, form(WHO, ' (?:really |also |always )?(?:likes?|loves?|enjoys?) ', VALUE)],
  ]),
  ...group('preferences', '{who}', 'dislikes:{value}', [
    [
      'dislikes',
      0.75,
      form(WHO, " (?:really )?(?:hates?|dislikes?|avoids?|can't stand|don't like|does not like|doesn't like) ", VALUE),
    ],
  ]),
  ...group('preferences', '{speaker}', 'rule:{value}', [
    ['rule', 0.7, form('(?:[Pp]lease )?(?<value>(?:[Aa]lways|[Nn]ever) .+)')],
  ]),
  ...group('profile', '{speaker}', 'name', [
    ['name', 0.95, form('(?:My|my) name is ', "(?<value>[\\p{L}' .-]{1,80})")],
  ]),
  ...person('lives-in', 'lives_in', 0.9, '(?:lives?|am living|is living) in '),
  ...person('works-at', 'works_at', 0.85, '(?:works?|am working|is working) (?:at|for) '),
  ...person('works-as', 'works_as', 0.85, '(?:works?|am working|is working) as '),
  ...person('born', 'born', 0.9, 'was born (?:on |in )?'),
  ...person('from', 'from', 0.8, '(?:comes?|am|is) from '),
  ...person('speaks', 'speaks', 0.8, 'speaks? '),
  ...person('allergic', 'allergic_to:{value}', 0.9, '(?:am|is) allergic to '),
  ...group('profile', '{who}', '{what}', [
    [
      'detail',
      0.9,
      form(
        `(?<who>My|my|${NAME}(?='s))(?:'s)? `,
        '(?<what>e-?mail(?: address)?|phone(?: number)?|birthday|address|time ?zone|job|role|title|manager|team|pronouns|hometown|employer|native language) is ',
        VALUE,
      ),
    ],
  ]),
  ...group('profile', '{speaker}', 'is', [['i-am', 0.75, form("(?:I am|I'm) (?=an? )", VALUE)]]),
  {
    ...{ name: 'is', profile: 'general', entity: '{subject}', key: '{verb}', confidence: 0.6 },
    form: form(
      '(?:[Tt]he |[Oo]ur |[Tt]his |[Aa]n? )?',
      '(?!(?:[Ii]t|[Tt]hat|[Tt]his|[Tt]here|[Hh]ere|[Hh]e|[Ss]he|[Tt]hey|[Ww]hat|[Ww]hich|[Ww]ho|[Ii]f|[Ww]hen|[Yy]ou|I|[Ww]e)\\b)',
      "(?<subject>[\\p{L}\\p{N}][\\p{L}\\p{N}'’._/-]{0,40}(?: (?!(?:is|are|was|were|uses|costs|means)\\b)[\\p{L}\\p{N}'’._/-]{1,40}){0,5}) ",
      '(?<verb>is|are|was|were|uses|costs|means) ',
      VALUE,
    ),
  },
  {
    ...{ name: 'dated', profile: 'general', entity: 'events', key: '{date}:{value}', confidence: 0.7 },
    form: new RegExp(`^(?<value>(?=.{0,600}?\\b${DATE}\\b).+)$`, 'u'),
  },
];

type Given = readonly [name: string, confidence: number, form: RegExp];

function group(profile: Pattern['profile'], entity: string, key: string, given: readonly Given[]): Pattern[] {
  return given.map(([name, confidence, itsForm]) => ({ name, profile, entity, key, confidence, form: itsForm }));
}

function person(name: string, key: string, confidence: number, verb: string): Pattern[] {
  return group('profile', '{who}', key, [[name, confidence, form(WHO, ' (?:now |currently |also )?', verb, VALUE)]]);
}

function favourite(whose: string): Pattern {
  return {
    ...{ name: 'favourite', profile: 'preferences', entity: '{who}', key: 'favourite_{what}', confidence: 0.9 },
    form: form(whose, ' (?:favou?rite|preferred) (?<what>[\\p{L}\\p{N} -]{1,60}?) (?:is|are) ', VALUE),
  };
}
