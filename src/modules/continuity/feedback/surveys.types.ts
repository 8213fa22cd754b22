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

/** What a response answers to. It never changes once it was answered: a changed survey is another version. */
export interface SurveyDefinition {
  title: string;
  about: string;
  questions: Question[];
}

/** A survey is open from a moment on and until another; null, it does not open by itself, or has no end yet. */
export interface SurveyWindow {
  opensAt: Date | null;
  closesAt: Date | null;
}

/** A survey as its file has it. */
export interface Survey extends SurveyDefinition, SurveyWindow {
  surveyId: string;
  version: number;
  tiers: readonly Tier[];
  /** The name of its file. */
  file: string;
}

/** A survey as the server asks it: with the window that an operator set, and the definition that was answered. */
export interface KnownSurvey extends Survey {
  /** Whether a response to it is kept. */
  isAnswered: boolean;
  /** Whether its file was changed after the first answer; the definition that was answered stands. */
  isEdited: boolean;
  /** Who opened or closed it, in place of what the file says. */
  windowSetBy: string | null;
  windowSetAt: Date | null;
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
