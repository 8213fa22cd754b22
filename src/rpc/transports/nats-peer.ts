import type { Match, MsgHdrs } from '@nats-io/transport-node';
import { SESSION_HEADER } from '../../common/http/agent-session.js';
import { requestIdOf, continueTrace } from '../../common/http/trace.js';
import type { Peer } from '../peer.js';

const ANY_CASE: Match = 'insensitive';

/** Who speaks through a message, as its headers say: the same ones as over HTTP, in whatever case. */
export function natsPeer(headers: MsgHdrs | undefined): Peer {
  const read = (name: string): string | undefined => headers?.values(name, ANY_CASE)[0]?.trim() || undefined;
  return {
    transport: 'nats',
    isPublic: false,
    credential: {
      tenantId: read('x-tenant-id'),
      apiKey: read('x-api-key'),
      bearer: /^Bearer (\S+)$/i.exec(read('authorization') ?? '')?.[1],
    },
    clientAddress: 'unknown',
    requestId: requestIdOf({ 'x-request-id': read('x-request-id') }),
    traceparent: continueTrace(read('traceparent')),
    idempotencyKey: read('x-idempotency-key'),
    approvalToken: read('x-shield-approval-token'),
    agentSession: read(SESSION_HEADER),
  };
}
