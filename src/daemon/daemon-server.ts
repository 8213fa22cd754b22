import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { ProcessParts } from '../common/core/core.module.js';
import { makeHttpServer } from '../common/http/http-server.js';
import type { RequestLine } from '../common/http/request-log.js';
import { Admission } from './admission/admission.js';
import type { Authenticator } from './auth/authenticator.js';
import { Ingress } from './ingress/ingress.js';
import { daemonProblems } from './problems/daemon-problem-form.js';

/** Time within which the answer to a request must have begun, its body arrived (memory-daemon.md 8). */
export const ROUTER_TIMEOUT_MS = 30_000;

/** One structured line a request (memory-daemon.md 6). */
const HTTP_CONTROL: RequestLine = {
  message: 'http_control',
  membersOf: (request, elapsed_ms) => ({
    tenant: request?.daemonCaller?.homeTenant,
    principal: request?.daemonCaller?.principal,
    elapsed_ms,
  }),
};

/**
 * The HTTP listener of the daemon, under Nest.
 * @param timeoutMs another bound than that of the specification, for tests
 */
export function makeDaemonServer(
  parts: ProcessParts,
  authenticator: Authenticator,
  timeoutMs = ROUTER_TIMEOUT_MS,
): FastifyAdapter {
  const { settings, log, metrics } = parts;
  const { maxBodyBytes, errorsBase } = settings.daemon;
  const problems = daemonProblems(errorsBase);
  const ingress = new Ingress({ settings, metrics, problems, timeoutMs });
  const admission = new Admission(parts, authenticator);
  return makeHttpServer(
    {
      maxBodyBytes: maxBodyBytes || UNBOUNDED,
      requestTimeoutMs: timeoutMs,
      problems,
      requestLine: HTTP_CONTROL,
      refuse: (request, reply) => ingress.refuse(request, reply),
      onRequests: (fastify: FastifyInstance) => {
        admission.install(fastify);
        fastify.addHook('preClose', (done) => {
          ingress.endStreams();
          done();
        });
      },
    },
    log,
    metrics,
  );
}

/** What stands for no bound: more than a body can have. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;
