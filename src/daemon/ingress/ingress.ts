import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Address } from '../../common/contract/contract.js';
import type { ProcessParts } from '../../common/core/core.module.js';
import { ClientAddresses, isWithin } from '../../common/http/client-address.js';
import { endConnection } from '../../common/http/linger.js';
import { Problem } from '../../common/problem/problem.js';
import { sendProblem, type ProblemWriter } from '../../common/problem/send-problem.js';
import { DAEMON_ROUTES } from '../contract/daemon-contract.js';
import { bodyTooLarge } from '../problems/body-too-large.js';
import { Overloaded, RateLimited } from '../problems/daemon-problems.js';
import { InflightGate } from './inflight-gate.js';
import { Passage } from './passage.js';
import { checkPassportHeader } from './passport-header.js';
import { RateLimiter } from './rate-limiter.js';
import { RefusalBursts } from './refusal-bursts.js';

/** They have a bucket and places of their own: whoever asks whether the daemon lives is answered while the rest is refused. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/** What the requests of one kind share. */
interface Lane {
  limiter: RateLimiter | undefined;
  gate: InflightGate;
}

export interface IngressParts extends Pick<ProcessParts, 'settings' | 'metrics'> {
  problems: ProblemWriter;
  timeoutMs: number;
}

/**
 * What every request passes before it is asked who it is from, in the order of memory-daemon.md 8: passport header, rate limit, load shedding,
 * in-flight gauge, body cap. The request's ids are outermost, so that refusals bear them too.
 */
export class Ingress {
  private readonly addresses: ClientAddresses;
  private readonly probes: Lane;
  private readonly others: Lane;
  private readonly open = new Set<Passage>();
  private readonly bursts = new RefusalBursts();
  private readonly rateLimited;
  private readonly loadShed;

  constructor(private readonly parts: IngressParts) {
    const { settings, metrics } = parts;
    const { trustedProxies = [] } = settings.daemon;
    this.addresses = new ClientAddresses(trustedProxies, undefined, true);
    this.probes = this.makeLane();
    this.others = this.makeLane();
    this.rateLimited = metrics.counter('svc_rate_limited_total', 'Requests answered 429 for the rate of their client.');
    this.loadShed = metrics.counter('svc_load_shed_total', 'Requests answered 503 because too many were in flight.');
    const { gate } = this.others;
    metrics.gauge('svc_inflight_requests', 'Requests in flight, the probes apart.', [], (gauge) =>
      gauge.set(gate.inside),
    );
  }

  /** @returns why the request goes no further; it has a place until its answer is over otherwise */
  refuse(request: FastifyRequest, reply: FastifyReply): Problem | undefined {
    try {
      this.pass(request, reply);
      return undefined;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (this.bursts.note(request.raw.socket)) endConnection(request, reply);
      return error;
    }
  }

  /** The server stops: answers that last are ended. */
  endStreams(): void {
    for (const passage of this.open) passage.stop();
  }

  /** @throws InvalidPassportHeader, RateLimited, Overloaded, PayloadTooLarge */
  private pass(request: FastifyRequest, reply: FastifyReply): void {
    const template = request.is404 ? undefined : request.routeOptions.url;
    const lane = template !== undefined && PROBES.has(template) ? this.probes : this.others;
    checkPassportHeader(request);
    this.checkRate(request, lane);
    this.takePlace(request, reply, lane);
    if (Number(request.headers['content-length'] ?? 0) > request.routeOptions.bodyLimit)
      throw bodyTooLarge(request, this.parts.settings.daemon.maxBodyBytes);
  }

  private checkRate(request: FastifyRequest, { limiter }: Lane): void {
    if (!limiter) return;
    const { key, address, isCertain } = this.addresses.locate(request);
    if (address && isCertain && isWithin(this.parts.settings.daemon.rateLimitExempt, address)) return;
    const retryAfterSec = limiter.take(key);
    if (retryAfterSec === 0) return;
    this.rateLimited.inc();
    throw new RateLimited({ retryAfterSec }, isCertain ? TOO_MANY : `${TOO_MANY}. ${UNCERTAIN}`);
  }

  private takePlace(request: FastifyRequest, reply: FastifyReply, { gate }: Lane): void {
    if (!gate.enter()) {
      this.loadShed.inc();
      throw new Overloaded({ retryAfterSec: 1 }, 'SVCD_MAX_INFLIGHT requests are in flight already; try again soon');
    }
    const address = `${request.method} ${request.routeOptions.url}` as Address;
    const passage = new Passage(request, reply, {
      timeoutMs: this.parts.timeoutMs,
      streams: DAEMON_ROUTES.get(address)?.streams ?? false,
      answerLate: (late, found) => sendProblem(late, found, this.parts.problems, request.id),
      release: () => gate.leave(),
    });
    this.open.add(passage);
    reply.raw.once('close', () => {
      this.open.delete(passage);
      passage.end();
    });
  }

  private makeLane(): Lane {
    const { rateLimitRps: perSecond, rateLimitBurst: burst, maxInflight } = this.parts.settings.daemon;
    return {
      limiter: perSecond === 0 ? undefined : new RateLimiter({ perSecond, burst }),
      gate: new InflightGate(maxInflight),
    };
  }
}

const TOO_MANY =
  'This client address made more requests than SVCD_RATE_LIMIT_RPS and SVCD_RATE_LIMIT_BURST let it; SVCD_RATE_LIMIT_EXEMPT_CIDRS exempts addresses';
const UNCERTAIN =
  'A proxy of SVCD_TRUSTED_PROXY_CIDRS did not say for whom it sent this in a way that can be believed, or its X-Forwarded-For and Forwarded differ: let it write one of them and remove the other';
