import {
  Choice,
  DateTime,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { PassagePlace, SOURCES } from './replay.dto.js';
import { OVERALL, PASSAGE_STATES, type DriftCategory, type Overall, type PassageState } from './replay.types.js';

const STATES = { values: PASSAGE_STATES };
const STATE =
  'stands; source_changed: the document has a version without it; source_deleted: the document is gone; access_lost: a document of another tenant that cannot be seen any more.';

/** The answer as it was recorded. */
export class HistoricalAnswer {
  @Integer({ about: 'The version.', min: 1 })
  version!: number;

  @DateTime({ about: 'When it was recorded.' })
  recorded_at!: string;

  @Text({ about: 'Its text; null when none was recorded.', nullable: true })
  text!: string | null;

  @Text({ about: 'The same with its citations below, as they were.' })
  rendered!: string;

  @Uuid({ about: 'The signed receipt `answer.recorded`.' })
  receipt_id!: string;

  @Text({
    about:
      'The result of checking that receipt again: OK, or the first thing that is wrong with form, signature, chain or log.',
  })
  receipt_check!: string;

  @Flag({ about: 'Whether the records are what the receipt attests.' })
  as_attested!: boolean;
}

/** The newest version of the answer, held against what is there now. */
export class CurrentAnswer {
  @Integer({ about: 'The newest version.', min: 1 })
  version!: number;

  @DateTime({ about: 'When that was recorded.' })
  recorded_at!: string;

  @Text({ about: 'Its text; null when none was recorded.', nullable: true })
  text!: string | null;

  @Text({ about: 'The same with its citations below, and what became of each.' })
  rendered!: string;

  @Flag({ about: 'Whether it is the version that was asked for.' })
  is_historical!: boolean;

  @Text({ about: 'How the recorded search fared: repeated, not recorded, or why it cannot be repeated.' })
  ranking!: string;
}

export class CitedPassage extends PassagePlace {
  @Text({ about: 'The digest that was recorded, `blake3:<hex>`.' })
  content_hash!: string;

  @Flag({ about: 'Whether the recorded text has that digest, and the cited words stand in it.' })
  hash_holds!: boolean;

  @Flag({ about: 'Whether the text in the index still has that digest; null where it is not there.', nullable: true })
  source_intact!: boolean | null;

  @Choice({ about: STATE, ...STATES })
  state!: PassageState;

  @TextList({ about: 'How it has drifted.' })
  drift!: DriftCategory[];

  @Integer({
    about: 'Its place in the recorded search, from 1; null where it was not among the results.',
    nullable: true,
  })
  recorded_rank!: number | null;

  @Integer({
    about: 'Its place when that search is done again; null where it is not among the results.',
    nullable: true,
  })
  rank!: number | null;
}

export class LivingObject {
  @Text({ about: 'Corpus of the document.' })
  corpus_id!: string;

  @Text({ about: 'The document.' })
  doc_id!: string;

  @Choice({ about: "Whose document: the tenant's own, or one shared with it.", values: SOURCES })
  source!: (typeof SOURCES)[number];

  @Integer({ about: 'The version that was cited.', min: 1 })
  recorded_version!: number;

  @Integer({ about: 'The version that the tenant sees now; null when it sees none.', nullable: true })
  current_version!: number | null;

  @Choice({ about: 'The worst of its cited passages.', ...STATES })
  state!: PassageState;
}

export class AnswerValidity {
  @Text({ about: '`svc.answer-validity/1`.' })
  schema!: string;

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Text({ about: 'The answer.' })
  answer_id!: string;

  @Choice({
    about:
      'valid: nothing has moved on; drifted: what is recorded is intact, and something has; broken: what is recorded or indexed is not what was signed.',
    values: OVERALL,
  })
  overall!: Overall;

  @Flag({ about: 'Whether anything has drifted.' })
  stale!: boolean;

  @TextList({
    about:
      'source_changed, source_deleted, access_lost: see the state of the passages; re_ranked: the recorded search, done again, has a passage that stands at another place, or no more.',
  })
  drift_categories!: DriftCategory[];

  @Text({ about: "Digest of the answer's capsule (GET /v1/replay/answers/{answerId}), `blake3:<hex>`." })
  capsule_hash!: string;

  @Nested({ about: 'The newest version, held against what is there now.', type: () => CurrentAnswer })
  current_answer!: CurrentAnswer;

  @Nested({ about: 'The version that was asked for, as it was recorded.', type: () => HistoricalAnswer })
  historical_answer!: HistoricalAnswer;

  @Flag({ about: 'Whether the records suffice to replay it, and are intact.' })
  historical_replay_available!: boolean;

  @ListOf({ about: 'The cited passages, then and now.', type: () => CitedPassage })
  evidence!: CitedPassage[];

  @ListOf({ about: 'The cited documents, then and now.', type: () => LivingObject })
  living_objects!: LivingObject[];

  @TextList({ about: 'What was looked at to find this out.' })
  projection_modules!: string[];

  @Text({ about: 'How the rendered answers are made.' })
  render_strategy!: string;

  @Text({
    about: 'What the search that was done again ranks by: `lexical`, or `lexical+vectors:<model>`; null when none was.',
    nullable: true,
  })
  semantic_profile!: string | null;

  @Flag({ about: 'Whether an agent is needed for this; it is not.' })
  agent_required!: boolean;

  @Flag({ about: 'Whether a language model is needed for this; it is not.' })
  llm_required!: boolean;
}
