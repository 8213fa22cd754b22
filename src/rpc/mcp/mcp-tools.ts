import type { ListToolsResult, Tool } from '@modelcontextprotocol/server';
import type { ToolRegistry } from '../tools/tool-registry.js';

/**
 * The digest of a tool's definition, which the shield pins: `sha256:<hex>`. On the list, the digest of all definitions.
 */
const DIGEST_META = 'svc/digest';

/** Definitions change with a new version of the service alone, and are the same for every caller. */
export const TOOLS_CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const;

/** All tools on one page, in the order of tenant-api.md 4.11. */
export function listOf({ tools, digest }: ToolRegistry): ListToolsResult {
  const listed = tools.map(({ definition, digest: own }) => ({ ...definition, _meta: { [DIGEST_META]: own } }) as Tool);
  return { tools: listed, _meta: { [DIGEST_META]: digest } };
}

/** Instructions for a model on the tools as a whole. */
export const INSTRUCTIONS = `svc keeps a tenant's documents and answers questions from them with ranked passages that can be cited and proved.

Start with query_vault: it finds passages, each with a chunkId. Cite what you used by its chunkId. proof_document has an answer checked; get_proof_status, get_proof_chunks, get_proof_receipt and get_proofpack follow the check. get_session_context gives what an agent should know at the start of a session.

- agent_id is a name of your choosing for yourself; use the same one throughout.
- Tools that change something take idempotency_key: a new UUID for each effect. When you do not know whether a call worked, repeat it with the same key: it has one effect and answers the same again.
- Credits: commons passages, tips, purchases and conversions cost credits of the agent; get_credit_balance returns how many there are.
- A result with isError says in its text what was wrong (code, message, data): data.issues names the arguments to mend, data.retryable whether the same call may succeed later, data.retryAfterSec when.
- Some calls need the approval of another owner of the tenant. Your client is then asked to wait for it; without such a client the call fails with data.approvalRequestId: inform your user, and after the approval repeat the call with the same arguments and shield_approval_token.`;
