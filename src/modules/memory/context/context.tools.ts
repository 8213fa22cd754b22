import { tool } from '../../../common/contract/tool-declaration.js';
import { AssembledContext, ContextRequest } from './context.dto.js';

export const CONTEXT_TOOLS = [
  tool('assemble_context', {
    title: 'Assemble a context for a task',
    description:
      'Gathers what is known for a task within token_budget: facts, cases of like tasks, engrams, open work, and passages of documents with what a citation of them needs. Items are whole; each says why it is there, and omitted says what was left out and why. Call it once when you begin a task, instead of one search after the other; include narrows it to some kinds. The same state gives the same context_hash.',
    route: 'POST /v1/context',
    body: ContextRequest,
    answer: AssembledContext,
    isRead: true,
  }),
];
