import replyFrom from '@fastify/reply-from';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findApiUrl } from '../../../common/config/server-urls.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { ClientAddresses } from '../../../common/http/client-address.js';
import { VOUCHED_ADDRESS_HEADER, VouchedAddresses } from '../../../common/http/vouched-address.js';
import { NotFound, UnsupportedMediaType } from '../../../common/problem/common-problems.js';
import { checkSameOrigin } from '../../../common/sessions/same-origin.js';
import { sessionCookieAlone } from '../../../common/sessions/session-cookie.js';
import { ApiUnavailable } from './console-api.problems.js';
import { headersFromApi, headersToApi, pathAtApi } from './console-api.rules.js';

const CONNECTIONS = 32;
const CONNECT_MS = 3_000;
/** A stream of the API sends something every 15 seconds. */
const SILENT_MS = 60_000;
/** Less than the API keeps an idle connection (72 s), so that it is not closed during a request. */
const IDLE_MS = 30_000;
const LOOK_MS = 2_000;
const LOOK_TIMEOUT_MS = 1_000;
const READS = new Set(['GET', 'HEAD']);

/**
 * Passes requests of the console on to the tenant API (D73), so that the page asks one origin alone. Only the cookie of
 * the session goes on; where the request comes from is signed. Nothing is decompressed on the way, and nothing is sent
 * twice.
 */
@Injectable()
export class ConsoleApiService implements OnModuleInit {
  private readonly base: string | undefined;
  private lookedAt = -Infinity;
  private reachable = Promise.resolve(false);

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly addresses: ClientAddresses,
    private readonly vouched: VouchedAddresses,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.base = findApiUrl(settings);
  }

  onModuleInit(): void {
    // Not awaited: that would start Fastify before Nest has given it its routes and its handler of errors.
    void this.host.httpAdapter.getInstance<FastifyInstance>().register(replyFrom, {
      disableRequestLogging: true,
      destroyAgent: true,
      undici: {
        connections: CONNECTIONS,
        pipelining: 1,
        keepAliveTimeout: IDLE_MS,
        keepAliveMaxTimeout: IDLE_MS,
        headersTimeout: this.settings.tools.apiTimeoutMs,
        bodyTimeout: SILENT_MS,
        connect: { timeout: CONNECT_MS },
      },
    });
  }

  /** Whether the API answers; looked at again every other second, however often it is asked. */
  isReachable(): Promise<boolean> {
    if (performance.now() - this.lookedAt < LOOK_MS) return this.reachable;
    this.lookedAt = performance.now();
    this.reachable = answers(this.base);
    return this.reachable;
  }

  /** @throws NotFound, Forbidden, UnsupportedMediaType, ApiUnavailable */
  async pass(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const path = pathAtApi(request.raw.url ?? '');
    if (path === undefined)
      throw new NotFound(
        {},
        'Below /console/api are the addresses of the tenant API that begin with /v1/ or /frontdoor/',
      );
    const cookie = sessionCookieAlone(request.headers.cookie);
    if (!READS.has(request.method)) checkSameOrigin(request, cookie !== undefined, this.settings.process.publicUrl);
    const coding = request.headers['content-encoding'] ?? 'identity';
    if (coding !== 'identity')
      throw new UnsupportedMediaType({}, 'Send the body as it is: headers.content-encoding is not taken here');
    if (this.base === undefined)
      throw new ApiUnavailable({ upstream: 'api' }, 'SVC_API_URL says where the API is; set it');
    await this.send(this.base + path, cookie, request, reply);
  }

  private send(
    address: string,
    cookie: string | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const body = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : undefined;
    const { pathname, origin } = new URL(address);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    reply.raw.once('close', resolve);
    reply.from(pathname, {
      getUpstream: () => origin,
      retryDelay: () => null,
      ...(body ? { body, contentType: contentTypeIn(request) } : {}),
      rewriteRequestHeaders: (_, { 'content-length': length }) =>
        headersToApi(request.headers, {
          cookie,
          'content-length': body && length,
          'content-type': body && contentTypeIn(request),
          'x-request-id': request.id,
          [VOUCHED_ADDRESS_HEADER]: this.vouched.sign(this.addresses.of(request)),
        }),
      rewriteHeaders: headersFromApi,
      onError: (_, { error }) => reject(unavailable(error)),
      onResponse: (_, answered, { stream }) => void (reply.sent ? stream.destroy() : answered.send(stream)),
    });
    return promise;
  }
}

/** The content type that came; a route that takes any body is read as bytes, and its header says so. */
function contentTypeIn({ raw: { rawHeaders } }: FastifyRequest): string {
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'content-type');
  return at < 0 ? 'application/octet-stream' : rawHeaders[at + 1]!;
}

async function answers(base: string | undefined): Promise<boolean> {
  if (base === undefined) return false;
  try {
    const answer = await fetch(`${base}/healthz`, { redirect: 'manual', signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

function unavailable(error: Error): ApiUnavailable {
  const { code } = (error.cause ?? error) as { code?: string };
  const isLate = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
  const detail = isLate
    ? 'The tenant API took too long. A repeat with the same x-idempotency-key has no second effect'
    : 'The tenant API (SVC_API_URL) cannot be reached, or its connection broke. Start it, or try again';
  return new ApiUnavailable({ upstream: 'api' }, detail);
}
