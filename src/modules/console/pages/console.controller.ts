import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anyone, ok, okBytes } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { ConsoleAnswers } from './console-answers.service.js';
import { ConsoleConfigService } from './console-config.service.js';
import { AssetPath, ConsoleConfig } from './console.dto.js';

const HTML = 'text/html; charset=utf-8';
const base = { tag: 'console', access: anyone(), flag: 'console' } as const;
const NOT_MODIFIED = { 304: { description: 'The client has it already (If-None-Match)' } };

@Controller()
export class ConsoleController {
  constructor(
    private readonly answers: ConsoleAnswers,
    private readonly config: ConsoleConfigService,
  ) {}

  @Route('GET /console', {
    ...base,
    summary: 'Show the console',
    description:
      'The page of the console, which loads nothing from another server. /console/ and /console/index.html lead here. Where the console was not built, a small page shows the version and the readiness of this daemon. Pages of the origins in SVCD_CONSOLE_ALLOWED_ORIGINS may read it, and what is below.',
    reply: okBytes(HTML),
    responses: NOT_MODIFIED,
  })
  async showConsole(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Uint8Array | string> {
    return this.answers.showPage(request, reply);
  }

  @Route('GET /console/index.html', {
    ...base,
    summary: 'Be led to the console',
    reply: okBytes(HTML),
    responses: { 308: { description: 'The page is at /console' } },
  })
  async leadToConsole(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.answers.redirect(request, reply);
  }

  @Route('GET /console/favicon.svg', {
    ...base,
    summary: 'Get the icon of the console',
    reply: okBytes('image/svg+xml'),
    responses: NOT_MODIFIED,
  })
  async readConsoleIcon(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Uint8Array> {
    return this.answers.showIcon(request, reply);
  }

  @Route('GET /console/assets/:file', {
    ...base,
    summary: 'Get a file of the console',
    description:
      'Scripts, styles and fonts, of the content type of their names, in brotli or gzip where the client takes it.',
    reply: okBytes('application/octet-stream'),
    responses: NOT_MODIFIED,
  })
  async readConsoleAsset(
    @Param() { file }: AssetPath,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Uint8Array> {
    return this.answers.showAsset(file, request, reply);
  }

  @Route('GET /console/config.json', {
    ...base,
    summary: 'Read what the console needs to know before a sign-in',
    description:
      'How this daemon finds out who calls, where to sign in, and what is switched off, with the setting that switches it on. Holds no secret, and of tenants only whose session the cookie of the request is.',
    reply: ok(ConsoleConfig),
  })
  async readConsoleConfig(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConsoleConfig> {
    this.answers.share(request, reply);
    void reply.header('cache-control', 'no-store');
    return this.config.read(request.headers.cookie);
  }
}
