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
import { SOURCE_STATES, type DriftCategory, type SourceState } from '../../knowledge/citations/source-states.types.js';
import { OVERALL, type Overall } from './replay.types.js';

const STATES = { values: SOURCE_STATES };
const STATE =
  'holds: the text stands in the newest version of its document; unknown: its stored text is not what was indexed; drifted: the document has a version without it; unavailable: the document is deleted, or cannot be seen any more.';

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

  @Flag({
    about: 'Whether the rows are what the receipt attests: agent, writer, time, text and citations.',
  })
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

  @Flag({
    about:
      'Whether the text in the index still has that digest, and is what the receipt of its ingest says; null where it is not there.',
    nullable: true,
  })
  source_intact!: boolean | null;

  @Choice({ about: STATE, ...STATES })
  state!: SourceState;

  @TextList({ about: 'What is different now: see drift_categories.' })
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
  state!: SourceState;
}

export class AnswerValidity {
  @Text({ about: '`svc.answer-validity/1`.' })
  schema!: string;

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Text({ about: 'The answer.' })
  answer_id!: string;

  @Choice({
    about: 'The worst state of its passages, or broken: what is recorded or indexed is not what was signed.',
    values: OVERALL,
  })
  overall!: Overall;

  @Flag({ about: 'Whether it is drifted or unavailable: what it cites does not stand there any more.' })
  stale!: boolean;

  @TextList({
    about:
      'source_changed (drifted), source_deleted and access_lost (unavailable). Reported, and breaking nothing: re_ranked, the recorded search, done again, has a passage at another place, or no more; metadata_changed, a document has another title or address.',
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

  @Flag({ about: 'Whether the agent has to be asked for its words: they were not recorded.' })
  agent_required!: boolean;

  @Flag({ about: 'Whether the words would have to be generated again: they were not recorded.' })
  llm_required!: boolean;
}
