import { Injectable } from '@nestjs/common';
import { FENCE_HEADER } from '../common/contract/fence.js';
import { SESSION_HEADER } from '../common/http/agent-session.js';
import { currentTraceparent } from '../common/observability/tracing.js';
import { TOOL_CALL_HEADER, ToolCallSigner, type ToolCall } from '../common/call-policy/tool-call-signer.js';
import { ApiConnection } from './api-connection.js';
import { DaemonConnection } from './daemon-connection.js';
import type { Peer } from './peer.js';
import type { ServerAnswer } from './server-connection.js';
import type { ApiRequest } from './tools/tool-arguments.js';

/** What goes along with a request, beyond what the route reads. */
export interface SentWith {
  /** The credential that the server is shown. */
  credential: Record<string, string>;
  /** Of the decision that admitted the call. */
  decisionId?: string | undefined;
  idempotencyKey?: string | undefined;
  approvalToken?: string | undefined;
  agentSession?: string | undefined;
}

/** Sends the requests of tool calls to the servers, each with what says who calls, and why it was let through. */
@Injectable()
export class ToolRequests {
  constructor(
    private readonly api: ApiConnection,
    private readonly daemon: DaemonConnection,
    private readonly signer: ToolCallSigner,
  ) {}

  /** @throws UpstreamUnavailable */
  async toApi(call: ToolCall, request: ApiRequest, sent: SentWith, peer: Peer): Promise<ServerAnswer> {
    const { decisionId, approvalToken } = sent;
    const { clientAddress } = peer;
    const headers = {
      ...headersOf(request, sent, peer),
      ...(approvalToken === undefined ? {} : { 'x-shield-approval-token': approvalToken }),
      [TOOL_CALL_HEADER]: await this.signer.signRequest(call, request, { decisionId, clientAddress }),
    };
    return this.api.call(sendable(call, request, headers, peer));
  }

  /** @throws UpstreamUnavailable */
  async toDaemon(call: ToolCall, request: ApiRequest, sent: SentWith, peer: Peer): Promise<ServerAnswer> {
    return this.daemon.call(sendable(call, request, headersOf(request, sent, peer), peer));
  }
}

function sendable(
  { isRead }: ToolCall,
  { method, path, body }: ApiRequest,
  headers: Record<string, string>,
  { signal }: Peer,
) {
  return {
    ...{ method, path, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(isRead && signal ? { signal } : {}),
  };
}

function headersOf({ body, headers }: ApiRequest, sent: SentWith, peer: Peer): Record<string, string> {
  const { credential, idempotencyKey, agentSession } = sent;
  const fence = headers[FENCE_HEADER];
  return {
    ...credential,
    'x-request-id': peer.requestId,
    traceparent: currentTraceparent() ?? peer.traceparent,
    ...(typeof fence === 'string' ? { [FENCE_HEADER]: fence } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'x-idempotency-key': idempotencyKey }),
    ...(agentSession === undefined ? {} : { [SESSION_HEADER]: agentSession }),
  };
}
