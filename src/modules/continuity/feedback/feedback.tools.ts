import { tool } from '../../../common/contract/tool-declaration.js';
import {
  FeedbackRequestList,
  FeedbackRequestQuery,
  FeedbackRequestRecord,
  FeedbackRequestSent,
  RequestPath,
  VoteRecord,
  VoteSent,
} from './requests.dto.js';
import { DeclarationRecord, DeclarationSent } from './revenue.dto.js';
import { SurveyAnswerMember, SurveyResponseRecord, SurveyResponseSent } from './surveys.dto.js';

const SURVEY =
  'NoSurveyOpen (-32004): there is none just now. SurveyCompleted (-32005): it was answered before. An answer that does not fit is refused with the questions there are and the choices each has, and nothing of the call is kept.';

export const FEEDBACK_TOOLS = [
  tool('submit_feature_request', {
    title: 'Submit a feature request',
    description:
      'Files a request for something the product lacks, seen by everybody of the tenant and by who runs the server, who may answer in operatorAnswer; no other tenant sees it. Look with get_feature_requests first: where the same was asked before, vote_feature_request counts for more. ' +
      'Pass title in one line, in body what for and how it would help, and a new idempotency_key. The answer is the request with its requestId, open at first. Costs nothing.',
    route: 'POST /v1/feedback/requests',
    body: FeedbackRequestSent,
    answer: FeedbackRequestRecord,
    isRead: false,
    idempotency: 'required',
  }),
  tool('vote_feature_request', {
    title: 'Vote for a feature request',
    description:
      'Votes for a request of the tenant, or with withdraw true takes the vote back. A principal has one vote: a second one changes nothing and says so in changed. ' +
      'Pass request_id from get_feature_requests and a new idempotency_key. Only open and acknowledged requests take votes; for others it is TransitionNotAllowed (-32005). Costs nothing.',
    route: 'POST /v1/feedback/requests/:id/vote',
    path: RequestPath,
    body: VoteSent,
    answer: VoteRecord,
    isRead: false,
    idempotency: 'required',
    names: { id: 'request_id' },
    about: { request_id: 'The requestId that get_feature_requests answered. It is taken under the name id too.' },
  }),
  tool('get_feature_requests', {
    title: 'List feature requests',
    description:
      'Lists what the tenant has asked for, with status, votes and history, newest first or by votes. Use it before submit_feature_request, or to see what became of a request. ' +
      'Search with q; narrow it with status, category, agent_id or mine, and pass next_cursor as cursor for more. Costs nothing.',
    route: 'GET /v1/feedback/requests',
    query: FeedbackRequestQuery,
    answer: FeedbackRequestList,
    isRead: true,
  }),
  tool('declare_revenue_willingness', {
    title: 'Declare a willingness to pay',
    description:
      'Declares what the tenant would pay for something, once, monthly or yearly; it binds nobody and spends nothing. Use it when a user says what a feature would be worth to them, and only then. ' +
      'Pass subject in a few words, amount_minor in pence or cents (1250 is 12.50), currency, period, a new idempotency_key, and request_id where a feature request is about the same. ' +
      'The answer is the declaration, pending until it is reviewed.',
    route: 'POST /v1/feedback/revenue/declarations',
    body: DeclarationSent,
    answer: DeclarationRecord,
    isRead: false,
    idempotency: 'required',
  }),
  tool('submit_feedback_survey', {
    title: 'Answer the survey whole',
    description:
      'Answers the survey that is open, in one call, and completes it: every required question must be answered in it or before. Use respond_to_survey to answer question by question instead. ' +
      'Pass in answers one object for each question, with question_id and the member its kind asks for (choice, choices, scale or text), and a new idempotency_key. ' +
      `The answer shows what was kept; missing names required questions that are open. ${SURVEY}`,
    route: 'POST /v1/feedback/surveys/current/responses',
    body: SurveyResponseSent,
    answer: SurveyResponseRecord,
    isRead: false,
    idempotency: 'required',
  }),
  tool('respond_to_survey', {
    title: 'Answer one question of the survey',
    description:
      'Answers one question of the survey that is open and keeps the rest for later; an answer may be changed until no question is left, which completes it. ' +
      'Pass question_id, the one of scale, choice, choices and text that the question asks for, and a new idempotency_key for each answer. ' +
      `The answer shows what was answered so far; missing names required questions that are open. To answer all at once, call submit_feedback_survey. ${SURVEY}`,
    route: 'POST /v1/feedback/surveys/current/responses',
    body: SurveyResponseSent,
    single: { member: 'answers', type: SurveyAnswerMember },
    fixed: { partial: true },
    answer: SurveyResponseRecord,
    isRead: false,
    idempotency: 'required',
  }),
];
