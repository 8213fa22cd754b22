import { tool } from '../../../common/contract/tool-declaration.js';
import { CaseReply, FoundCases, RecordCase, RetrieveCases } from './cases.dto.js';

export const CASE_TOOLS = [
  tool('record_case', {
    title: 'Record a case',
    description:
      'Keeps what was to be done, what you did, and how it went, so that a later task of the same kind starts from it. Record failures as well, with success false and a lesson: they warn the next one. Secrets are masked before anything is stored. Call it once a task is done, or given up. The answer is the case with its id and the signed receipt of its recording.',
    route: 'POST /v1/cases',
    body: RecordCase,
    answer: CaseReply,
    isRead: false,
  }),
  tool('find_cases', {
    title: 'Find cases for a task',
    description:
      'Finds what was done before for tasks like this one, and how it went: ranked by the words of task, by reward and by age, with the parts of each score. Failures are among them unless only_success is true. Call it before you start a task that may have been done before. The answer has at most top_k cases, each with action, outcome and lesson.',
    route: 'POST /v1/cases/retrieve',
    body: RetrieveCases,
    answer: FoundCases,
    isRead: true,
  }),
];
