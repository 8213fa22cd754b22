import type { Credential } from '../common/keys/tool-callers.js';

/** Who calls, as the caller guard found out. Without a credential it is the client address, by a keyed digest. */
export interface ToolCaller {
  tenantId: string;
  principal: string;
  /** `public` without one. */
  authType: string;
}

/** The one at the other end of a mouth, for one request of its. */
export interface Peer {
  mouth: 'http' | 'stream' | 'stdio' | 'nats' | 'mcp';
  /** Came by a mouth without credentials: only the public tools answer. */
  isPublic: boolean;
  credential: Credential;
  clientAddress: string;
  requestId: string;
  /** Of this request's own span (W3C Trace Context). */
  traceparent: string;
  /** x-idempotency-key and x-shield-approval-token beside the request; they serve where the request holds one call. */
  idempotencyKey?: string;
  approvalToken?: string;
  /** Set by the caller guard, for each call anew: a credential may end while a stream goes on. */
  caller?: ToolCaller;
  /** What the API said beside its answers, by header: the mouth passes it on where it has headers. */
  beside?: Map<string, string>;
  /** Aborted when the peer has gone: what only reads may be given up then. */
  signal?: AbortSignal;
}
