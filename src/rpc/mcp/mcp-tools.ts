import { ProtocolError } from '@modelcontextprotocol/server';
import { RPC_CODES } from '../json-rpc.js';

/**
 * The digest of a tool's definition, which the shield pins: `sha256:<hex>`. On the list, the digest of all definitions.
 */
export const DIGEST_META = 'svc/digest';

/** Definitions change with a new version of the service alone; which of them are listed is the choice of the
 * caller or its tenant. */
export const TOOLS_CACHE = { ttlMs: 300_000, cacheScope: 'private' } as const;

/** Instructions for a model on the tools as a whole; both endpoints give the same. */
export const INSTRUCTIONS = `svc is memory that can be proved: documents, facts, answers, work and their evidence.

Begin with start_session. Ask with search before you answer; read goes on from an id. Answer from what you found, with its ids, and keep the answer with record_answer. When fit is none, nothing has these words: ask once in other words, then say that it is not here.
remember keeps facts with their sources, forget retires them, whats_new says what changed of what you watch.

- Every id that a tool answers is taken by the others: chk_... (passage), corpus/doc (document), fact:, answer:, receipt:, retrieval:, proof:, watch:, work:.
- agent_id is a name of your choosing; use the same one in every call.
- An error says which argument to mend, or what to do next.
- What needs the approval of an owner fails with the id of the approval: inform your user, and repeat the same call once it is approved. It goes through once.
- more_tools lists further tools (credits, bundles, governance, projects ...) and calls them.`;

export const toolUnknown = (name: string): ProtocolError =>
  new ProtocolError(
    RPC_CODES.invalidParams,
    `Unknown tool: ${name.slice(0, 100)}. tools/list has those that are shown to you, and more_tools calls all others`,
  );
