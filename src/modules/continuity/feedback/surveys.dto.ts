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
import { TenantMember } from '../../../common/fields/shared-members.js';
import { QUESTION_KINDS, type SurveyAnswer } from './surveys.types.js';

const RESPONSE_STATUSES = ['partial', 'complete'] as const;

export class SurveyAnswerMember implements SurveyAnswer {
  @Text({ about: 'The question.', min: 1, max: 100 })
  questionId!: string;

  @Text({ about: 'Of a single_choice question: the id of an option.', optional: true, min: 1, max: 100 })
  choice?: string;

  @TextList({ about: 'Of a multiple_choice question: ids of options.', optional: true, max: 100, maxItems: 50 })
  choices?: string[];

  @Integer({ about: 'Of a scale question: a whole number of the scale.', optional: true, min: -1000, max: 1000 })
  scale?: number;

  @Text({ about: 'Of a text question.', optional: true, min: 1, max: 10_000 })
  text?: string;
}

export class SurveyResponseSent {
  @TenantMember()
  tenantId?: string;

  @ListOf({
    about: 'Answers; one for a question that was answered before replaces that.',
    type: () => SurveyAnswerMember,
    min: 1,
    max: 50,
  })
  answers!: SurveyAnswerMember[];

  @Flag({
    about:
      'true: keep these and leave the rest for later; the survey is completed when no question is left. false: this completes it, with what was answered before; every required question must be.',
    default: false,
  })
  partial!: boolean;

  @Text({
    about: 'The survey that is meant; refused with 409 when another is current by now.',
    optional: true,
    min: 1,
    max: 100,
  })
  surveyId?: string;

  @Integer({ about: 'Its version, likewise.', optional: true, min: 1, max: 1_000_000 })
  version?: number;
}

export class SurveyOption {
  @Text({ about: 'What to answer with.' })
  id!: string;

  @Text({ about: 'What to show.' })
  label!: string;
}

export class SurveyQuestion {
  @Text({ about: 'The question.' })
  questionId!: string;

  @Choice({ about: 'How it is answered.', values: QUESTION_KINDS })
  kind!: (typeof QUESTION_KINDS)[number];

  @Text({ about: 'What is asked.' })
  text!: string;

  @Flag({ about: 'Whether the survey can be completed only with it.' })
  required!: boolean;

  @ListOf({ about: 'Of the choice kinds: what there is to choose from.', type: () => SurveyOption, optional: true })
  options?: SurveyOption[];

  @Integer({ about: 'Of multiple_choice: how many may be chosen.', optional: true })
  maxChoices?: number;

  @Integer({ about: 'Of scale: its least number.', optional: true })
  min?: number;

  @Integer({ about: 'Of scale: its greatest number.', optional: true })
  max?: number;

  @Text({ about: 'Of scale: what the least means.', optional: true })
  minLabel?: string;

  @Text({ about: 'Of scale: what the greatest means.', optional: true })
  maxLabel?: string;

  @Integer({ about: 'Of text: how many characters it may have.', optional: true })
  maxLength?: number;
}

export class SurveyResponseRecord {
  @Uuid({ about: "The caller's response." })
  responseId!: string;

  @Text({ about: 'The survey.' })
  surveyId!: string;

  @Integer({ about: 'Its version.', min: 1 })
  version!: number;

  @Choice({ about: 'A partial one can still be changed.', values: RESPONSE_STATUSES })
  status!: (typeof RESPONSE_STATUSES)[number];

  @ListOf({ about: 'What was answered so far, in the order of the questions.', type: () => SurveyAnswerMember })
  answers!: SurveyAnswerMember[];

  @TextList({ about: 'Required questions without an answer.' })
  missing!: string[];

  @DateTime({ about: 'When the first answer came.' })
  startedAt!: string;

  @DateTime({ about: 'When the last one came.' })
  updatedAt!: string;

  @DateTime({ about: 'When it was completed.', nullable: true })
  completedAt!: string | null;
}

export class CurrentSurvey {
  @Text({ about: 'The survey.' })
  surveyId!: string;

  @Integer({ about: 'Its version; a changed survey is another version, with responses of its own.', min: 1 })
  version!: number;

  @Text({ about: 'Its title.' })
  title!: string;

  @Text({ about: 'What it is about.' })
  about!: string;

  @DateTime({ about: 'Since when it is open.' })
  opensAt!: string;

  @DateTime({ about: 'When it closes; null when that is not settled.', nullable: true })
  closesAt!: string | null;

  @ListOf({ about: 'What is asked, in its order.', type: () => SurveyQuestion })
  questions!: SurveyQuestion[];

  @Nested({
    about: 'What the caller answered so far; null when nothing.',
    nullable: true,
    type: () => SurveyResponseRecord,
  })
  response!: SurveyResponseRecord | null;
}
