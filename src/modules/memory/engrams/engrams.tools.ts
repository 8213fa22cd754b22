import { tool } from '../../../common/contract/tool-declaration.js';
import { ResolvedEngrams, ResolveEngrams } from './resolve.dto.js';
import { StartedSession, StartSession } from './session-init.dto.js';

/** Tools have one spelling of each member. */
const fixed = { tenantId: undefined, agentId: undefined, modelId: undefined };

export const ENGRAM_TOOLS = [
  tool('resolve_engrams', {
    title: 'Resolve engrams',
    description:
      'Gives the whole contents of engrams, the instructions that the people of this tenant wrote for agents: those that you name, else all that are switched on and fit the class of your model. Use it before a task that an engram is about. With manifest_hash of an earlier answer, manifest_status says whether what you have is still the newest (match) or not (stale). Names that are not there are refused. Each call leaves a signed receipt of what you were given.',
    route: 'POST /v1/memory/engrams/resolve',
    body: ResolveEngrams,
    answer: ResolvedEngrams,
    isRead: false,
    fixed,
  }),
  tool('init_session', {
    title: 'Start a session',
    description:
      'Gives one text to begin a session with: who you are here, what a session does, the engrams that apply, recent facts, open work and pending gates, whole items alone within token_budget. Call it first. omitted says what did not fit or what your scopes do not show; hash stays the same as long as nothing has changed. It stores nothing.',
    route: 'POST /v1/memory/session-init',
    body: StartSession,
    answer: StartedSession,
    isRead: true,
    fixed,
  }),
];
