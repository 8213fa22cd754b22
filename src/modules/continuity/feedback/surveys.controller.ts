import { Body, Controller } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { ok, seats, type RouteDeclaration } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { NoSurveyOpen, SurveyChanged, SurveyCompleted } from './feedback.problems.js';
import { CurrentSurvey, SurveyResponseRecord, SurveyResponseSent } from './surveys.dto.js';
import { SurveysService } from './surveys.service.js';

const SHARED = { tag: 'feedback', access: seats('owner', 'admin', 'member') } satisfies Partial<
  RouteDeclaration<unknown>
>;

@Controller()
export class SurveysController {
  constructor(private readonly surveys: SurveysService) {}

  @Route('GET /v1/feedback/surveys/current', {
    ...SHARED,
    summary: 'Get the current survey',
    description:
      'With what the caller has answered so far. Which one it is depends on the tier. Who runs the server opens and closes surveys: 404 NoSurveyOpen when none is open.',
    reply: ok(CurrentSurvey),
    problems: [NoSurveyOpen],
  })
  readCurrentSurvey(@Caller() caller: TenantCaller): Promise<CurrentSurvey> {
    return this.surveys.read(caller);
  }

  @Route('POST /v1/feedback/surveys/current/responses', {
    ...SHARED,
    summary: 'Answer the current survey',
    description:
      'A principal has one response to a survey. With partial true it grows answer by answer, and answers may be changed; it is completed by a call without partial, or when no question ' +
      'is left. After that it is 409 SurveyCompleted. An answer that does not fit its question is refused by name, and then nothing of the call is kept. Who runs the server reads the answers.',
    reply: ok(SurveyResponseRecord),
    problems: [NoSurveyOpen, SurveyChanged, SurveyCompleted],
    tried: {
      body: { answers: [{ questionId: 'satisfaction', scale: 4 }], partial: true },
      from: { 'body/answers/0/questionId': 'readCurrentSurvey#/questions/0/questionId' },
    },
  })
  respondToSurvey(@Caller() caller: TenantCaller, @Body() sent: SurveyResponseSent): Promise<SurveyResponseRecord> {
    return this.surveys.respond(caller, sent);
  }
}
