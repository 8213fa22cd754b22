import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { RouteManifest } from '../../../common/contract/route-manifest.js';
import { ConsoleApiService } from './console-api.service.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** As much as the API takes where a route of it names no other bound. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * `/console/api/*`: open to whom the page is, and behind its flag. Not declared like other routes: what may be asked
 * and answered there is the tenant API's contract, and no part of the daemon's.
 */
@Injectable()
export class ConsoleApiRoutes implements OnApplicationBootstrap {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly manifest: RouteManifest,
    private readonly api: ConsoleApiService,
  ) {}

  onApplicationBootstrap(): void {
    const page = this.manifest.routes.find(({ address }) => address === 'GET /console')!;
    this.host.httpAdapter.getInstance<FastifyInstance>().route({
      method: METHODS,
      url: '/console/api/*',
      config: { route: { ...page, bodyLimit: MAX_BODY_BYTES, streams: true }, body: 'any' },
      handler: (request, reply) => this.api.pass(request, reply),
    });
  }
}
