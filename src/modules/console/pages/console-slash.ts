import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { RouteManifest } from '../../../common/contract/route-manifest.js';
import { ConsoleAnswers } from './console-answers.service.js';

/** The address with a slash at its end. Nest takes the slash off, so that no declaration can have it. */
@Injectable()
export class ConsoleSlash implements OnApplicationBootstrap {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly manifest: RouteManifest,
    private readonly answers: ConsoleAnswers,
  ) {}

  onApplicationBootstrap(): void {
    const route = this.manifest.routes.find(({ address }) => address === 'GET /console/index.html')!;
    this.host.httpAdapter.getInstance<FastifyInstance>().route({
      method: 'GET',
      url: '/console/',
      config: { route },
      handler: (request, reply) => reply.send(this.answers.redirect(request, reply)),
    });
  }
}
