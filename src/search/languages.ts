import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as bulgarian } from '@orama/stemmers/bulgarian';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stopwords as arabicStops } from '@orama/stopwords/arabic';
import { stopwords as bulgarianStops } from '@orama/stopwords/bulgarian';
import { stopwords as danishStops } from '@orama/stopwords/danish';
import { stopwords as dutchStops } from '@orama/stopwords/dutch';
import { stopwords as englishStops } from '@orama/stopwords/english';
import { stopwords as finnishStops } from '@orama/stopwords/finnish';
import { stopwords as frenchStops } from '@orama/stopwords/french';
import { stopwords as germanStops } from '@orama/stopwords/german';
import { stopwords as greekStops } from '@orama/stopwords/greek';
import { stopwords as hungarianStops } from '@orama/stopwords/hungarian';
import { stopwords as italianStops } from '@orama/stopwords/italian';
import { stopwords as norwegianStops } from '@orama/stopwords/norwegian';
import { stopwords as portugueseStops } from '@orama/stopwords/portuguese';
import { stopwords as romanianStops } from '@orama/stopwords/romanian';
import { stopwords as russianStops } from '@orama/stopwords/russian';
import { stopwords as spanishStops } from '@orama/stopwords/spanish';
import { stopwords as swedishStops } from '@orama/stopwords/swedish';
import { stopwords as turkishStops } from '@orama/stopwords/turkish';
import { stemEnglish } from './english-stemmer.js';

/** What a language brings to the analysis: its stemmer and the words it leaves out. */
export interface LanguageRules {
  stem: (word: string) => string;
  stopWords: ReadonlySet<string>;
}

function rules(stem: (word: string) => string, stopWords: readonly string[]): LanguageRules {
  return { stem, stopWords: new Set(stopWords.map((word) => word.normalize('NFKC').toLowerCase())) };
}

const RULES = {
  simple: rules((word) => word, []),
  arabic: rules(arabic, arabicStops),
  bulgarian: rules(bulgarian, bulgarianStops),
  danish: rules(danish, danishStops),
  dutch: rules(dutch, dutchStops),
  // The library's list lacks the article.
  english: rules(stemEnglish, [...englishStops, 'a']),
  finnish: rules(finnish, finnishStops),
  french: rules(french, frenchStops),
  german: rules(german, germanStops),
  greek: rules(greek, greekStops),
  hungarian: rules(hungarian, hungarianStops),
  italian: rules(italian, italianStops),
  norwegian: rules(norwegian, norwegianStops),
  portuguese: rules(portuguese, portugueseStops),
  romanian: rules(romanian, romanianStops),
  russian: rules(russian, russianStops),
  spanish: rules(spanish, spanishStops),
  swedish: rules(swedish, swedishStops),
  turkish: rules(turkish, turkishStops),
} satisfies Record<string, LanguageRules>;

/** A language a corpus can be in. `simple` neither stems nor drops words. */
export type Language = keyof typeof RULES;

export const LANGUAGES = Object.keys(RULES) as Language[];
export const DEFAULT_LANGUAGE: Language = 'english';

/** Whether a text names one of LANGUAGES. */
export function isLanguage(name: string): name is Language {
  return Object.hasOwn(RULES, name);
}

/** One object a language, shared by all who ask. */
export function rulesOf(language: Language): LanguageRules {
  return RULES[language];
}
