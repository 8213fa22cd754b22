import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { invalidMembers, type Issue } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { NoSurveyOpen, SurveyChanged, SurveyCompleted } from './feedback.problems.js';
import { SurveyCatalog } from './survey-catalog.service.js';
import { SurveyResponseRow } from './survey-response.entity.js';
import type { CurrentSurvey, SurveyResponseRecord, SurveyResponseSent } from './surveys.dto.js';
import { currentSurvey, forEvent, inOrder, issuesOf, merge, stateOf, unanswered } from './surveys.rules.js';
import { keepDefinition, type KnownSurveys } from './surveys.store.js';
import type { KnownSurvey, Survey, SurveyAnswer } from './surveys.types.js';

/** The survey of the moment, and the caller's response to it. */
@Injectable()
export class SurveysService {
  private readonly responses: TenantRepository<SurveyResponseRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly catalog: SurveyCatalog,
    private readonly outbox: Outbox,
  ) {
    this.responses = new TenantRepository(tenancy, SurveyResponseRow);
  }

  /** @throws NoSurveyOpen */
  read(caller: TenantCaller): Promise<CurrentSurvey> {
    return this.tenancy.run(caller.tenantId, async () => {
      const survey = await this.current(caller);
      const response = await this.responses.find(keyOf(survey, caller));
      const { surveyId, version, title, about, opensAt, closesAt, questions } = survey;
      return {
        surveyId,
        version,
        title,
        about,
        opensAt: opensAt!.toISOString(),
        closesAt: closesAt?.toISOString() ?? null,
        questions: [...questions],
        response: response ? recordOf(survey, response) : null,
      };
    });
  }

  /** @throws NoSurveyOpen, SurveyChanged, SurveyCompleted; ValidationFailed naming each answer that does not fit */
  respond(caller: TenantCaller, sent: SurveyResponseSent): Promise<SurveyResponseRecord> {
    return this.tenancy.run(caller.tenantId, async () => {
      const survey = await this.kept(await this.current(caller, sent));
      refuse(issuesOf(survey, sent.answers));
      const key = keyOf(survey, caller);
      await this.responses.insertNew({ ...key, responseId: uuid() });
      const before = (await this.responses.find(key, 'update'))!;
      if (before.completedAt) throw completed(survey, before.completedAt);
      const answers = merge(before.answers, sent.answers);
      if (!sent.partial) refuse(unanswered(survey, answers, 'required').map(missing));
      const complete = !sent.partial || unanswered(survey, answers, 'all').length === 0;
      const completedAt = complete ? () => 'now()' : null;
      const after = await this.responses.updateOne(key, { answers, updatedAt: () => 'now()', completedAt });
      if (complete) await this.publish('survey_completed', caller, after, inOrder(survey, answers));
      else await this.publish('survey_answered', caller, after, sent.answers);
      return recordOf(survey, after);
    });
  }

  private async current({ tier }: TenantCaller, sent?: SurveyResponseSent): Promise<KnownSurvey> {
    const known = await this.catalog.list();
    const survey = currentSurvey(known.surveys, tier, known.now);
    if (!survey) throw new NoSurveyOpen({}, remedyOf(known, sent));
    if (sent) checkMeant(survey, sent);
    return survey;
  }

  /** What it is answered to stays as it is now. */
  private async kept(survey: KnownSurvey): Promise<KnownSurvey> {
    if (survey.isAnswered) return survey;
    const query = <Row>(sql: string, parameters?: unknown[]) => this.tenancy.query<Row>(sql, parameters);
    return { ...survey, ...(await keepDefinition(query, survey)) };
  }

  private async publish(
    what: 'survey_completed' | 'survey_answered',
    { principal }: TenantCaller,
    { surveyId, surveyVersion: version, responseId }: SurveyResponseRow,
    answers: readonly SurveyAnswer[],
  ): Promise<void> {
    const data = { surveyId, version, answers: forEvent(answers), actor: principal };
    this.outbox.emit({ kind: `feedback.${what}`, subject: responseId, data });
  }
}

/** A principal has one response to a version. */
const keyOf = ({ surveyId, version }: Survey, { principal }: TenantCaller) => ({
  surveyId,
  surveyVersion: version,
  principal,
});

function remedyOf({ surveys, now }: KnownSurveys, sent?: SurveyResponseSent): string {
  const meant = surveys.find(
    ({ surveyId, version }) => surveyId === sent?.surveyId && version === (sent.version ?? version),
  );
  if (!meant || stateOf(meant, now) !== 'closed' || !meant.closesAt) return 'Ask again later';
  return `${meant.surveyId} closed at ${meant.closesAt.toISOString()}; nothing was kept of these answers`;
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
    answers: inOrder(survey, answers),
    missing: unanswered(survey, answers, 'required'),
    startedAt: startedAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
  };
}
