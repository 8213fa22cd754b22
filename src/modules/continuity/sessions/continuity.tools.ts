import { PageQuery } from '../../../common/fields/page.dto.js';
import { tool } from '../../../common/contract/tool-declaration.js';
import { JournalList, JournalQuery } from './journal.dto.js';
import { HomePath } from './primitives.dto.js';
import { SessionContext, SessionContextQuery } from './session-context.dto.js';
import { StalePinList } from './stale-pins.dto.js';

const ABOUT = { agent_id: 'The agent, by the name it goes by in query_vault.' };

export const CONTINUITY_TOOLS = [
  tool('get_journal', {
    title: 'Read the journal of an agent',
    description:
      'Reads what happened to an agent, numbered without gaps: alerts of its watches, completed proofs, adopted schemas, changed primitives. ' +
      'Use it to catch up since an earlier session: pass agent_id, from as the time of the last one, and order oldest. Narrow it with type or subject, and pass next_cursor as cursor for more. ' +
      'An agent that nothing has happened to has an empty journal. Costs nothing; for a summary that fits a prompt, call get_session_context.',
    route: 'GET /v1/home/:agentId/journal',
    path: HomePath,
    query: JournalQuery,
    answer: JournalList,
    isRead: true,
    isOpenWorld: true,
    about: ABOUT,
  }),
  tool('get_stale_pins', {
    title: 'Find pins whose source has changed',
    description:
      "Lists what the agent's goals, preferences, constraints and skills are pinned to and is no longer as it was: passages of documents that have another version or are gone, answers that were recorded again. " +
      'Use it at the start of a session, before relying on what was pinned. Each change says what was there, and in replacement where the same text stands now, if it does. Costs nothing; nothing is changed by looking.',
    route: 'GET /v1/home/:agentId/stale-pins',
    path: HomePath,
    query: PageQuery,
    answer: StalePinList,
    isRead: true,
    isOpenWorld: true,
    about: ABOUT,
  }),
  tool('get_session_context', {
    title: 'Start a session with what the agent knows',
    description:
      'Makes a digest of an agent within a budget of tokens: its goals, constraints, preferences and skills, its stale pins, its open watches and the newest of its journal. ' +
      'Call it first in a session and put text into the prompt as it is. Pass agent_id and token_budget (2,000 unless said); omitted counts what did not fit, and get_journal and get_stale_pins have the rest. Costs nothing.',
    route: 'GET /v1/home/:agentId/session-context',
    path: HomePath,
    query: SessionContextQuery,
    answer: SessionContext,
    isRead: true,
    isOpenWorld: true,
    about: ABOUT,
  }),
];
