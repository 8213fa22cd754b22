import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { invalidMembers, type Issue } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { NoSurveyOpen, SurveyChanged, SurveyCompleted } from './feedback.problems.js';
import { SURVEYS } from './surveys.definitions.js';
import type { CurrentSurvey, SurveyResponseRecord, SurveyResponseSent } from './surveys.dto.js';
import { currentSurvey, issuesOf, merge, unanswered } from './surveys.rules.js';
import { SurveysStore } from './surveys.store.js';
import type { Survey, SurveyResponse } from './surveys.types.js';

/** The survey of the moment, and the caller's response to it. */
@Injectable()
export class SurveysService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: SurveysStore,
    private readonly outbox: Outbox,
  ) {}

  /** @throws NoSurveyOpen */
  async read(caller: TenantCaller): Promise<CurrentSurvey> {
    const survey = surveyFor(caller);
    const response = await this.tenancy.run(caller.tenantId, () => this.store.find(survey, caller.principal));
    const { surveyId, version, title, about, opensAt, closesAt, questions } = survey;
    return {
      surveyId,
      version,
      title,
      about,
      opensAt,
      closesAt,
      questions: [...questions],
      response: response ? recordOf(survey, response) : null,
    };
  }

  /** @throws NoSurveyOpen, SurveyChanged, SurveyCompleted; ValidationFailed naming each answer that does not fit */
  respond(caller: TenantCaller, sent: SurveyResponseSent): Promise<SurveyResponseRecord> {
    const survey = surveyFor(caller);
    checkMeant(survey, sent);
    refuse(issuesOf(survey, sent.answers));
    return this.tenancy.run(caller.tenantId, async () => {
      const before = await this.store.hold(survey, caller.principal);
      if (before.completedAt) throw completed(survey, before.completedAt);
      const answers = merge(before.answers, sent.answers);
      if (!sent.partial) refuse(unanswered(survey, answers, 'required').map(missing));
      const complete = !sent.partial || unanswered(survey, answers, 'all').length === 0;
      const after = await this.store.keep(survey, caller.principal, { answers, complete });
      if (complete) await this.publish(caller, survey, after);
      return recordOf(survey, after);
    });
  }

  private async publish(caller: TenantCaller, { surveyId, version }: Survey, response: SurveyResponse): Promise<void> {
    const data = { surveyId, version, actor: caller.principal };
    await this.outbox.emit({ kind: 'feedback.survey_completed', subject: response.responseId, data });
  }
}

function surveyFor({ tier }: TenantCaller): Survey {
  const survey = currentSurvey(SURVEYS, tier, new Date());
  if (!survey) throw new NoSurveyOpen({}, 'Ask again later');
  return survey;
}

function checkMeant({ surveyId, version }: Survey, sent: SurveyResponseSent): void {
  if ((sent.surveyId ?? surveyId) === surveyId && (sent.version ?? version) === version) return;
  throw new SurveyChanged({ surveyId, version }, 'Read GET /v1/feedback/surveys/current again and answer that');
}

function completed({ surveyId }: Survey, at: Date): SurveyCompleted {
  return new SurveyCompleted(
    { surveyId, completedAt: at.toISOString() },
    'A completed response is not changed any more',
  );
}

const missing = (questionId: string): Issue => ({
  path: 'body.answers',
  message: `must have an answer to ${questionId}, or partial must be true`,
});

function refuse(issues: Issue[]): void {
  if (issues.length > 0) throw invalidMembers(issues);
}

function recordOf(survey: Survey, response: SurveyResponse): SurveyResponseRecord {
  const { responseId, answers, startedAt, updatedAt, completedAt } = response;
  return {
    responseId,
    surveyId: survey.surveyId,
    version: survey.version,
    status: completedAt ? 'complete' : 'partial',
    answers: survey.questions.flatMap(({ questionId }) => answers[questionId] ?? []),
    missing: unanswered(survey, answers, 'required'),
    startedAt: startedAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
  };
}
