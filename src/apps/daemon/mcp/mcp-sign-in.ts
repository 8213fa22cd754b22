import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessTokens } from '../../../common/access-tokens/access-tokens.js';
import { METADATA_PATH } from '../../../common/access-tokens/protected-resource.rules.js';
import type { Authenticator } from '../../../common/bearer-auth/authenticator.js';
import { challengeOf } from '../../../common/bearer-auth/challenge.js';
import type { ClientAddresses } from '../../../common/http/client-address.js';
import { InvalidToken, RateLimited, UnfitToken } from '../../../common/problem/daemon-problems.js';
import { Problem } from '../../../common/problem/problem.js';
import type { FailedCredentials } from '../../../common/throttle/failed-credentials.js';

interface Known {
  tokens: AccessTokens;
  authenticator: Authenticator;
  failures: FailedCredentials;
  addresses: ClientAddresses;
}

/**
 * Sign-in at the daemon's MCP endpoint, where SVC_OIDC_ISSUER is set: a request of nobody that is known is refused as a
 * whole, with the address of the metadata that says how to sign in (RFC 9728, 5). Elsewhere the routes of the tools
 * alone find out who asks.
 */
export class McpSignIn {
  constructor(private readonly known: Known) {}

  serve(fastify: FastifyInstance): void {
    const { resource } = this.known.tokens;
    if (!resource) return;
    for (const url of [METADATA_PATH, `${METADATA_PATH}/mcp`]) fastify.get(url, () => resource.metadata);
  }

  /** @throws Problem where it is not known who asks */
  async check(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { tokens, authenticator } = this.known;
    if (!tokens.resource) return;
    try {
      await authenticator.identify(request);
    } catch (error) {
      const challenge = error instanceof Problem ? challengeOf(error, tokens.resource) : undefined;
      if (challenge !== undefined) void reply.header('www-authenticate', challenge);
      if (error instanceof InvalidToken && !(error instanceof UnfitToken)) this.countFailure(request);
      throw error;
    }
  }

  /** @throws RateLimited where too many failed before */
  private countFailure(request: FastifyRequest): void {
    const { failures, addresses } = this.known;
    const retryAfterSec = failures.count({ address: addresses.of(request), prefix: 'token' });
    if (retryAfterSec > 0) throw new RateLimited({ retryAfterSec }, TOO_MANY);
  }
}

const TOO_MANY = 'Too many invalid tokens from this address; a valid one is accepted';
