import type { Tier } from '../../../common/contract/caller.js';

interface Asked {
  questionId: string;
  text: string;
  /** Whether the survey can be completed without it. */
  required: boolean;
}

export interface Option {
  id: string;
  label: string;
}

export type Question =
  | (Asked & { kind: 'single_choice'; options: Option[] })
  | (Asked & { kind: 'multiple_choice'; options: Option[]; maxChoices: number })
  | (Asked & { kind: 'scale'; min: number; max: number; minLabel: string; maxLabel: string })
  | (Asked & { kind: 'text'; maxLength: number });
export const QUESTION_KINDS = ['single_choice', 'multiple_choice', 'scale', 'text'] as const;

/** A survey as it is defined in the source. A changed one is a new version, with responses of its own. */
export interface Survey {
  surveyId: string;
  version: number;
  title: string;
  about: string;
  tiers: readonly Tier[];
  opensAt: string;
  /** Null: until another version takes its place. */
  closesAt: string | null;
  questions: readonly Question[];
}

/** An answer has the one member that its question's kind asks for. */
export interface SurveyAnswer {
  questionId: string;
  choice?: string;
  choices?: string[];
  scale?: number;
  text?: string;
}

/** By question. */
export type Answers = Record<string, SurveyAnswer>;
