import { tool } from '../../../common/contract/tool-declaration.js';
import { CandidateList, CandidateQuery } from './candidates.dto.js';
import { DecideCandidates, CandidateDecisionsReply } from './candidate-decisions.dto.js';
import { ExtractReply, ExtractRequest } from './extraction.dto.js';

export const CANDIDATE_TOOLS = [
  tool('extract_memories', {
    title: 'Extract memories from a text',
    description:
      'Looks through a text, such as a conversation or your notes, for what is worth remembering: decisions, preferences, tasks, facts about people and things. Each statement becomes a pending candidate with its exact quote; none is a fact before somebody promotes it (decide_candidates). What is known already is skipped. Credentials are masked. Use it at the end of a session; dry_run shows what would be found.',
    route: 'POST /v1/memory/extract',
    body: ExtractRequest,
    answer: ExtractReply,
    isRead: false,
  }),
  tool('list_candidates', {
    title: 'List memory candidates',
    description:
      'Lists candidates of memory, newest first: those that wait for a decision, or of another status. Each has its quote, how sure the extractor is, and whether it says the same as, or something else than, what is remembered (resolution, duplicate_of, conflicts_with). Use it before decide_candidates.',
    route: 'GET /v1/memory/candidates',
    query: CandidateQuery,
    answer: CandidateList,
    isRead: true,
  }),
  tool('decide_candidates', {
    title: 'Decide on memory candidates',
    description:
      'Promotes candidates to facts or rejects them, up to 100 at once, each on its own: results come in the same order with status_code 200, or why one was not decided. A rejection needs a reason. Below auto_threshold a promotion needs a reviewer; one in conflict must name in supersedes what it takes the place of. Every decision leaves a signed receipt.',
    route: 'POST /v1/memory/candidates/decide',
    body: DecideCandidates,
    answer: CandidateDecisionsReply,
    isRead: false,
  }),
];
