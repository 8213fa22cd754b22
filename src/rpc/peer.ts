import type { CallerRole } from '../common/contract/caller.js';
import type { Credential } from '../common/keys/tool-callers.js';

/** Who calls, as the caller guard found out. Without a credential it is the client address, by a keyed digest. */
export interface ToolCaller {
  tenantId: string;
  principal: string;
  /** `public` without one. */
  authType: string;
  /** Of a credential. */
  role?: CallerRole;
}

/** The one at the other end of a transport, for one request of its. */
export interface Peer {
  transport: 'http' | 'stream' | 'stdio' | 'nats' | 'mcp';
  /** Came by a transport without credentials: only the public tools answer. */
  isPublic: boolean;
  credential: Credential;
  clientAddress: string;
  requestId: string;
  /** Of this request's own span (W3C Trace Context). */
  traceparent: string;
  /**
   * Headers x-idempotency-key and x-shield-approval-token of the request; they apply where the request holds one call.
   */
  idempotencyKey?: string;
  approvalToken?: string;
  /** The set of tools that the request asks for: header x-svc-tool-set, or tool_set of the query. */
  toolSet?: string;
  /** Header x-svc-session-id, as it was sent. */
  agentSession?: string;
  /** Set by the caller guard, again for each call: a credential may end while a stream goes on. */
  caller?: ToolCaller;
  /** Headers of the API's responses, which the transport forwards where it has headers. */
  responseHeaders?: Map<string, string>;
  /** Aborted when the peer has gone or has its answer: what only reads may be given up then. */
  signal?: AbortSignal;
}
