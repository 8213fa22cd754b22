import type { FastifyReply, FastifyRequest } from 'fastify';
import { toolSetIn } from '../tools/requested-tool-set.js';
import { bearerOf, headerOf } from '../../common/http/headers.js';
import { SESSION_HEADER } from '../../common/http/agent-session.js';
import type { ClientAddresses } from '../../common/http/client-address.js';
import { ClientGone } from '../../common/ingress/deadline.js';
import type { Peer } from '../peer.js';

/** One for all: every call ends with it, and to make an error with its stack for each costs more than the rest. */
const GONE = new ClientGone();

/** Who speaks through an HTTP request, as its headers say. */
export function httpPeer(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    transport,
    addresses,
    isPublic = false,
  }: { transport: Peer['transport']; addresses: ClientAddresses; isPublic?: boolean },
): Peer {
  const gone = new AbortController();
  if (reply.raw.closed) gone.abort(GONE);
  else reply.raw.once('close', () => gone.abort(GONE));
  return {
    transport,
    isPublic,
    credential: isPublic
      ? {}
      : {
          tenantId: headerOf(request, 'x-tenant-id'),
          apiKey: headerOf(request, 'x-api-key'),
          bearer: bearerOf(request),
        },
    clientAddress: addresses.of(request),
    requestId: request.id,
    traceparent: String(reply.getHeader('traceparent')),
    idempotencyKey: headerOf(request, 'x-idempotency-key'),
    approvalToken: headerOf(request, 'x-shield-approval-token'),
    toolSet: toolSetIn(request),
    agentSession: headerOf(request, SESSION_HEADER),
    signal: gone.signal,
  };
}
