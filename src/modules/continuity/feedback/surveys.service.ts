import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { invalidMembers, type Issue } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { NoSurveyOpen, SurveyChanged, SurveyCompleted } from './feedback.problems.js';
import { SurveyResponseRow } from './survey-response.entity.js';
import { SURVEYS } from './surveys.definitions.js';
import type { CurrentSurvey, SurveyResponseRecord, SurveyResponseSent } from './surveys.dto.js';
import { currentSurvey, issuesOf, merge, unanswered } from './surveys.rules.js';
import type { Survey } from './surveys.types.js';

/** The survey of the moment, and the caller's response to it. */
@Injectable()
export class SurveysService {
  private readonly responses: TenantRepository<SurveyResponseRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly outbox: Outbox,
  ) {
    this.responses = new TenantRepository(tenancy, SurveyResponseRow);
  }

  /** @throws NoSurveyOpen */
  async read(caller: TenantCaller): Promise<CurrentSurvey> {
    const survey = surveyFor(caller);
    const response = await this.tenancy.run(caller.tenantId, () => this.responses.find(keyOf(survey, caller)));
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
      const key = keyOf(survey, caller);
      await this.responses.insertNew({ ...key, responseId: uuid() });
      const before = (await this.responses.find(key, 'update'))!;
      if (before.completedAt) throw completed(survey, before.completedAt);
      const answers = merge(before.answers, sent.answers);
      if (!sent.partial) refuse(unanswered(survey, answers, 'required').map(missing));
      const complete = !sent.partial || unanswered(survey, answers, 'all').length === 0;
      const completedAt = complete ? () => 'now()' : null;
      const after = await this.responses.updateOne(key, { answers, updatedAt: () => 'now()', completedAt });
      if (complete) await this.publish(caller, after);
      return recordOf(survey, after);
    });
  }

  private async publish({ principal }: TenantCaller, response: SurveyResponseRow): Promise<void> {
    const { surveyId, surveyVersion: version, responseId } = response;
    const data = { surveyId, version, actor: principal };
    await this.outbox.emit({ kind: 'feedback.survey_completed', subject: responseId, data });
  }
}

/** A principal has one response to a version. */
const keyOf = ({ surveyId, version }: Survey, { principal }: TenantCaller) => ({
  surveyId,
  surveyVersion: version,
  principal,
});

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

function recordOf(survey: Survey, response: SurveyResponseRow): SurveyResponseRecord {
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
