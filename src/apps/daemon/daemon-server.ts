import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../common/config/settings.js';
import type { ProcessContext } from '../../common/process-context.js';
import { ClientAddresses } from '../../common/http/client-address.js';
import { makeHttpServer } from '../../common/http/http-server.js';
import { OwnHosts } from '../../common/http/own-hosts.js';
import type { RequestLine } from '../../common/http/request-log.js';
import { CONSOLE_PATHS, consoleOrigins } from '../../common/http/console-origins.js';
import { Ingress } from '../../common/ingress/ingress.js';
import { daemonProblems } from '../../common/problem/daemon-problem-form.js';

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

/** Where requests to the daemon come from: its proxies are its own, and may write Forwarded too. */
export const daemonAddresses = ({ daemon }: Settings): ClientAddresses =>
  new ClientAddresses(daemon.trustedProxies ?? [], undefined, true);

/**
 * The HTTP listener of the daemon, under Nest.
 * @param timeoutMs another bound than that of the specification, for tests
 */
export function makeDaemonServer(parts: ProcessContext, timeoutMs = ROUTER_TIMEOUT_MS): FastifyAdapter {
  const { settings, metrics, stopping } = parts;
  const { maxBodyBytes, errorsBase } = settings.daemon;
  const problems = daemonProblems(errorsBase);
  const addresses = daemonAddresses(settings);
  const ingress = new Ingress({ settings, metrics, problems, addresses, timeoutMs });
  const adapter = makeHttpServer(
    {
      maxBodyBytes: maxBodyBytes || UNBOUNDED,
      requestTimeoutMs: timeoutMs,
      problems,
      stopping,
      requestLine: HTTP_CONTROL,
      ownHosts: new OwnHosts(settings, {
        host: settings.daemon.httpHost,
        shared: { paths: CONSOLE_PATHS, origins: consoleOrigins(settings.daemon) },
      }),
      refuse: (request, reply) => ingress.refuse(request, reply),
    },
    parts,
  );
  adapter.getInstance<FastifyInstance>().addHook('preClose', (done) => {
    ingress.endStreams();
    done();
  });
  return adapter;
}

/** What stands for no bound: more than a body can have. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;
