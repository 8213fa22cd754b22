import { problem } from '../../../common/problem/problem.js';

export class FeedbackRequestUnknown extends problem<{ requestId: string }>(
  404,
  'FeedbackRequestUnknown',
  'There is no such feedback request',
) {}

export class DeclarationUnknown extends problem<{ declarationId: string }>(
  404,
  'DeclarationUnknown',
  'There is no such revenue declaration',
) {}

export class TransitionNotAllowed extends problem<{ current: string; allowed: string[] }>(
  409,
  'TransitionNotAllowed',
  'This cannot be done from the present status',
) {}

export class NoSurveyOpen extends problem(404, 'NoSurveyOpen', 'No survey is open for the tier of this tenant') {}

export class SurveyUnknown extends problem<{ surveyId: string }>(404, 'SurveyUnknown', 'There is no such survey') {}

export class SurveyChanged extends problem<{ surveyId: string; version: number }>(
  409,
  'SurveyChanged',
  'Another survey is current by now',
) {}

export class SurveyCompleted extends problem<{ surveyId: string; completedAt: string }>(
  409,
  'SurveyCompleted',
  'This principal has completed the survey',
) {}
