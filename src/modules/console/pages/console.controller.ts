import { Controller, Headers, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { anyone, okBytes } from '../../../common/contract/contract.js';
import { PageHeaders } from '../../../common/http/page.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { consoleOrigins } from '../../../common/http/console-origins.js';
import { CONSOLE_PAGE } from './console-page.js';

@Controller()
export class ConsoleController {
  private readonly origins: ReadonlySet<string>;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.origins = consoleOrigins(settings.daemon);
  }

  @PageHeaders(CONSOLE_PAGE)
  @Route('GET /console', {
    tag: 'console',
    summary: 'Show the console page',
    description:
      'The page shows the version and the readiness of this daemon. It loads nothing from anywhere else. Pages of the origins in SVCD_CONSOLE_ALLOWED_ORIGINS may read it.',
    access: anyone(),
    flag: 'console',
    reply: okBytes('text/html; charset=utf-8'),
  })
  async showConsole(
    @Headers('origin') origin: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    void reply.header('vary', 'origin');
    if (origin !== undefined && this.origins.has(origin)) void reply.header('access-control-allow-origin', origin);
    return CONSOLE_PAGE.html;
  }
}
