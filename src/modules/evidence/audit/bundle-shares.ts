import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routeOf } from '../../../common/contract/contract.js';
import { ClientAddresses } from '../../../common/http/client-address.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { VERIFY_ADDRESS } from './audit.types.js';

/** Bundles of one address that are on their way, wait or are verified: without a credential, and with one. */
const MAX_ANONYMOUS = 3;
const MAX_IDENTIFIED = 64;

/** Keeps each address to its share, before anything of the body is read. */
@Injectable()
export class BundleShares implements OnModuleInit {
  private readonly inFlight = new Map<string, number>();

  constructor(
    private readonly addresses: ClientAddresses,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** After the guards, which find out whose credential holds. */
  onModuleInit(): void {
    this.adapterHost.httpAdapter.getInstance<FastifyInstance>().addHook('onRequest', async (request, reply) => {
      if (routeOf(request)?.address === VERIFY_ADDRESS) this.take(request, reply);
    });
  }

  /** @throws ServiceUnavailable */
  private take(request: FastifyRequest, reply: FastifyReply): void {
    // The client has gone while the guards looked at it: its place would never be given back.
    if (reply.raw.destroyed) return;
    const isIdentified = request.daemonCaller !== undefined;
    const client = `${isIdentified} ${this.addresses.of(request)}`;
    const count = this.inFlight.get(client) ?? 0;
    if (count >= (isIdentified ? MAX_IDENTIFIED : MAX_ANONYMOUS))
      throw new ServiceUnavailable(
        { retryAfterSec: 1 },
        `${count} bundles of this address are being verified; send it again when they are done`,
      );
    this.inFlight.set(client, count + 1);
    reply.raw.once('close', () => this.giveBack(client));
  }

  private giveBack(client: string): void {
    const left = (this.inFlight.get(client) ?? 1) - 1;
    if (left > 0) this.inFlight.set(client, left);
    else this.inFlight.delete(client);
  }
}
