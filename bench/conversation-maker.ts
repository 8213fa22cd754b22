import { pick, seededRandom, type Random } from './random.js';

interface MadeTurn {
  speaker: string;
  dia_id: string;
  text: string;
}

/** A conversation in the layout of LoCoMo. */
export interface MadeConversation {
  sample_id: string;
  conversation: Record<string, string | MadeTurn[]>;
  qa: { question: string; answer: string; evidence: string[]; category: number }[];
}

export interface MakePlan {
  seed: number;
  conversations: number;
  sessions: number;
}

const NAMES = ['Ines', 'Oskar', 'Mirela', 'Tomasz', 'Aiko', 'Samuel', 'Leila', 'Bruno'];
const PLACES = ['Lisbon', 'Gdansk', 'Kyoto', 'Tromso', 'Valencia', 'Graz', 'Cusco', 'Tartu'];
const THINGS = [
  'pottery kiln',
  'racing bike',
  'cello',
  'telescope',
  'sourdough starter',
  'film camera',
  'kayak',
  'loom',
];
const EVENTS = ['half marathon', 'pottery fair', 'choir concert', 'chess cup', 'book launch', 'sailing course'];
const PEOPLE = ['my sister', 'an old colleague', 'my neighbour', 'my cousin', 'a friend from school'];
const TALK = [
  'The weather has been strange lately, hasn’t it?',
  'I have been so busy with work that the week just flew by.',
  'That sounds lovely, you must have been pleased.',
  'I am thinking about cooking something new this weekend.',
  'My train was late again, I read the whole way home.',
  'Do you remember how we laughed about that film?',
  'I should call my parents more often, to be honest.',
  'It is good to talk to you, I needed that today.',
  'I went for a long walk and took some pictures on the way.',
  'Honestly, I could sleep for a week.',
];
/** Something that is said once, in its own words, and what is asked about it later in others. */
const SEEDS: ((random: Random) => {
  said: string;
  asked: (name: string) => string;
  answer: string;
  category: number;
})[] = [
  (random) => {
    const place = pick(random, PLACES);
    const who = pick(random, PEOPLE);
    return {
      said: `I finally booked the trip: I am going to ${place} with ${who} in the spring.`,
      asked: (name) => `Which city did ${name} book a trip to?`,
      ...{ answer: place, category: 4 },
    };
  },
  (random) => {
    const thing = pick(random, THINGS);
    const price = 50 + Math.floor(random() * 900);
    return {
      said: `Guess what, I bought a ${thing} second-hand, it was only ${price} euros.`,
      asked: (name) => `What did ${name} pay for the ${thing}?`,
      ...{ answer: `${price} euros`, category: 4 },
    };
  },
  (random) => {
    const event = pick(random, EVENTS);
    const month = pick(random, ['March', 'May', 'June', 'September', 'October']);
    return {
      said: `I signed up for the ${event}, it takes place on the ${3 + Math.floor(random() * 20)}th of ${month}.`,
      asked: (name) => `When is the ${event} that ${name} signed up for?`,
      ...{ answer: month, category: 2 },
    };
  },
  (random) => {
    const thing = pick(random, THINGS);
    return {
      said: `I gave the ${thing} away to ${pick(random, PEOPLE)}, I never found time for it.`,
      asked: (name) => `Who got the ${thing} from ${name}?`,
      ...{ answer: thing, category: 4 },
    };
  },
];
const SAID_IN_A_SESSION = 2;
const TURNS_A_SESSION = 22;

/** Conversations of our own making: the same for the same plan, free of anyone's rights. */
export function makeConversations({ seed, conversations, sessions }: MakePlan): MadeConversation[] {
  const random = seededRandom(seed);
  return Array.from({ length: conversations }, (_, at) => makeOne(random, `made-${seed}-${at}`, sessions));
}

function makeOne(random: Random, sample_id: string, sessions: number): MadeConversation {
  const a = pick(random, NAMES);
  const b = pick(
    random,
    NAMES.filter((name) => name !== a),
  );
  const conversation: MadeConversation['conversation'] = { speaker_a: a, speaker_b: b };
  const qa: MadeConversation['qa'] = [];
  const asked = new Set<string>();
  for (let number = 1; number <= sessions; number++) {
    const turns = talk(random, number, [a, b]);
    conversation[`session_${number}_date_time`] = `${1 + (number % 12)}:30 pm on ${1 + (number % 28)} May, 2024`;
    conversation[`session_${number}`] = turns;
    for (let i = 0; i < SAID_IN_A_SESSION; i++) {
      const turn = turns[3 + i * 8 + Math.floor(random() * 6)]!;
      const { said, asked: ask, answer, category } = pick(random, SEEDS)(random);
      const question = ask(turn.speaker);
      if (asked.has(question)) continue;
      asked.add(question);
      turn.text = said;
      qa.push({ question, answer, evidence: [turn.dia_id], category });
    }
  }
  return { sample_id, conversation, qa };
}

const talk = (random: Random, session: number, speakers: readonly [string, string]): MadeTurn[] =>
  Array.from({ length: TURNS_A_SESSION }, (_, at) => ({
    ...{ speaker: speakers[at % 2]!, dia_id: `D${session}:${at + 1}` },
    text: `${pick(random, TALK)} ${pick(random, TALK)}`,
  }));
