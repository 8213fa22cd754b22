import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { routeOf, type PeerRight } from '../common/contract/contract.js';
import { ClientAddresses } from '../common/http/client-address.js';
import { headerOf, isStorableText } from '../common/http/headers.js';
import { digestHolds } from '../common/peer-auth/content-digest.js';
import { PeerCheck, type PeerHead } from '../common/peer-auth/peer-check.js';
import { NONCE_HEADER } from '../common/peer-auth/peer-request.js';
import { targetUrisOf } from '../common/peer-auth/target-uris.js';
import { invalid } from '../common/problem/common-problems.js';
import { RateLimited } from '../common/problem/daemon-problems.js';
import {
  ContentDigestMismatch,
  PeerUnknown,
  SignatureInvalid,
  SignatureMalformed,
} from '../common/problem/peer-problems.js';
import { Problem } from '../common/problem/problem.js';
import { FailedCredentials } from '../common/throttle/failed-credentials.js';
import { TenantRegistry } from './tenant-registry.js';

/**
 * With SVCD_SYNC_MUTUAL_AUTH=1 routes of peers take requests that a peer signed, and no others; scopes and route-auth
 * are not asked for (memory-daemon.md 4.7). The signature over the head is verified before anything of the body is
 * read, the digest of the body before it is parsed.
 */
@Injectable()
export class PeerGuard implements CanActivate {
  private readonly isOn: boolean;
  private readonly publicUrl: string | undefined;

  constructor(
    private readonly peers: PeerCheck,
    private readonly addresses: ClientAddresses,
    private readonly failures: FailedCredentials,
    private readonly registry: TenantRegistry,
    @Inject(SETTINGS) { sync }: Settings,
  ) {
    this.isOn = sync.mutualAuth;
    this.publicUrl = sync.publicUrl;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const right = routeOf(request)?.peers;
    if (!this.isOn || right === undefined) return true;
    const reply = http.getResponse<FastifyReply>();
    try {
      await this.admit(request, reply, right);
      return true;
    } catch (error) {
      if (error instanceof Problem && error.kind.status === 401) {
        void reply.header('www-authenticate', CHALLENGE);
        this.countFailure(request, error);
      }
      throw error;
    }
  }

  private async admit(request: FastifyRequest, reply: FastifyReply, right: PeerRight): Promise<void> {
    const head = this.headOf(request, right);
    const { identity, reach, digest, nextNonce } = await this.peers.check(head);
    await this.registry.checkCredential(identity);
    if (nextNonce !== undefined) void reply.header(NONCE_HEADER, nextNonce);
    request.daemonCaller = { ...identity, isAdmin: false, homeTenant: head.tenantId, agentSession: undefined };
    request.syncReach = reach;
    request.checkBody = (body) => {
      if (!digestHolds(digest, body))
        throw new ContentDigestMismatch(
          {},
          'The body that came is not the one of content-digest: it was altered or cut',
        );
    };
  }

  private headOf(request: FastifyRequest, right: PeerRight): PeerHead {
    const { method, params, raw, headers } = request;
    const { tenantId } = params as { tenantId: string };
    if (!isStorableText(tenantId)) throw invalid('path.tenantId', 'holds a NUL character, which is not text');
    return {
      method,
      targetUris: targetUrisOf(this.publicUrl, headers.host, raw.url ?? ''),
      tenantId,
      header: (name) => headerOf(request, name),
      right,
    };
  }

  /**
   * Signatures that no key of a peer made are counted by address, and past the bound answered 429. @throws RateLimited
   */
  private countFailure(request: FastifyRequest, error: Problem): void {
    if (!GUESSES.some((kind) => error instanceof kind)) return;
    const retryAfterSec = this.failures.count({ address: this.addresses.of(request), prefix: 'peer' });
    if (retryAfterSec > 0) throw new RateLimited({ retryAfterSec }, TOO_MANY);
  }
}

const GUESSES = [SignatureMalformed, SignatureInvalid, PeerUnknown];
const TOO_MANY = 'Too many signatures from this address that no peer made; one that holds is accepted';
const CHALLENGE = 'Signature realm="svc sync"';
