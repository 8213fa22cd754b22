import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProcessContext } from '../process-context.js';
import { type ClientAddresses, isWithin } from '../http/client-address.js';
import { endConnection } from '../http/graceful-close.js';
import { Problem } from '../problem/problem.js';
import { sendProblem, type ProblemWriter } from '../problem/send-problem.js';
import { routeOf } from '../contract/contract.js';
import { bodyTooLarge } from '../problem/body-too-large.js';
import { Overloaded, RateLimited } from '../problem/daemon-problems.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { AdmittedRequest } from './admitted-request.js';
import { checkPassportHeader } from './passport-header.js';
import { RateLimiter } from './rate-limiter.js';
import { RefusalBursts } from './refusal-bursts.js';

/** They have a bucket and places of their own: probes are answered while the rest is refused. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/** What the requests of one kind share. */
interface Limits {
  limiter: RateLimiter | undefined;
  concurrency: ConcurrencyLimiter;
}

export interface IngressParts extends Pick<ProcessContext, 'settings' | 'metrics'> {
  problems: ProblemWriter;
  addresses: ClientAddresses;
  timeoutMs: number;
}

/**
 * What every request passes before authentication, in the order of memory-daemon.md 8: passport header, rate limit,
 * load shedding, in-flight gauge, body cap. The request's ids are outermost, so that refusals bear them too.
 */
export class Ingress {
  private readonly probes: Limits;
  private readonly others: Limits;
  private readonly open = new Set<AdmittedRequest>();
  private readonly bursts = new RefusalBursts();
  private readonly rateLimited;
  private readonly loadShed;

  constructor(private readonly parts: IngressParts) {
    const { metrics } = parts;
    this.probes = this.makeLimits();
    this.others = this.makeLimits();
    this.rateLimited = metrics.counter('svc_rate_limited_total', 'Requests answered 429 for the rate of their client.');
    this.loadShed = metrics.counter('svc_load_shed_total', 'Requests answered 503 because too many were in flight.');
    const { concurrency } = this.others;
    metrics.gauge('svc_inflight_requests', 'Requests in flight, the probes apart.', [], (gauge) =>
      gauge.set(concurrency.inside),
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
    for (const admitted of this.open) admitted.stop();
  }

  /** @throws InvalidPassportHeader, RateLimited, Overloaded, PayloadTooLarge */
  private pass(request: FastifyRequest, reply: FastifyReply): void {
    const template = request.is404 ? undefined : request.routeOptions.url;
    const limits = template !== undefined && PROBES.has(template) ? this.probes : this.others;
    checkPassportHeader(request);
    this.checkRate(request, limits);
    this.takePlace(request, reply, limits);
    if (Number(request.headers['content-length'] ?? 0) > request.routeOptions.bodyLimit)
      throw bodyTooLarge(request, this.parts.settings.daemon.maxBodyBytes);
  }

  private checkRate(request: FastifyRequest, { limiter }: Limits): void {
    if (!limiter) return;
    const { key, address, isCertain } = this.parts.addresses.locate(request);
    if (address && isCertain && isWithin(this.parts.settings.daemon.rateLimitExempt, address)) return;
    const retryAfterSec = limiter.take(key);
    if (retryAfterSec === 0) return;
    this.rateLimited.inc();
    throw new RateLimited({ retryAfterSec }, isCertain ? TOO_MANY : `${TOO_MANY}. ${UNCERTAIN}`);
  }

  private takePlace(request: FastifyRequest, reply: FastifyReply, { concurrency }: Limits): void {
    if (!concurrency.enter()) {
      this.loadShed.inc();
      throw new Overloaded({ retryAfterSec: 1 }, 'SVCD_MAX_INFLIGHT requests are in flight already; try again soon');
    }
    const admitted = new AdmittedRequest(request, reply, {
      timeoutMs: this.parts.timeoutMs,
      streams: routeOf(request)?.streams ?? false,
      answerLate: (late, found) => sendProblem(late, found, this.parts.problems, request.id),
      release: () => concurrency.leave(),
    });
    this.open.add(admitted);
    reply.raw.once('close', () => {
      this.open.delete(admitted);
      admitted.end();
    });
  }

  private makeLimits(): Limits {
    const { rateLimitRps: perSecond, rateLimitBurst: burst, maxInflight } = this.parts.settings.daemon;
    return {
      limiter: perSecond === 0 ? undefined : new RateLimiter({ perSecond, burst }),
      concurrency: new ConcurrencyLimiter(maxInflight),
    };
  }
}

const TOO_MANY =
  'This client address made more requests than SVCD_RATE_LIMIT_RPS and SVCD_RATE_LIMIT_BURST let it; SVCD_RATE_LIMIT_EXEMPT_CIDRS exempts addresses';
const UNCERTAIN =
  'A proxy of SVCD_TRUSTED_PROXY_CIDRS did not name the client of this request in a way that can be trusted, or its X-Forwarded-For and Forwarded differ: let it write one of them and remove the other';
