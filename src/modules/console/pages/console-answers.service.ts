import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AUTHENTICATOR, type Authenticator } from '../../../common/bearer-auth/authenticator.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { consoleOrigins } from '../../../common/http/console-origins.js';
import { headerOf } from '../../../common/http/headers.js';
import { isKnown } from '../../../common/http/known-etag.js';
import { NotFound } from '../../../common/problem/common-problems.js';
import { ConsoleFiles, type ConsoleFile } from './console-files.js';
import { codingFor, policyOf } from './console-index.rules.js';
import { oidcOf } from './console-config.service.js';
import { CONSOLE_PAGE } from './console-page.js';

/** The name of an asset has a digest of its content in it: under that name there is never another. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATED = 'no-cache';

const PAGE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Answers with the files of the console. */
@Injectable()
export class ConsoleAnswers {
  private readonly origins: ReadonlySet<string>;

  constructor(
    private readonly files: ConsoleFiles,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.origins = consoleOrigins(settings.daemon);
  }

  /** The page of the app; where it was not built, the small page that says so. */
  showPage(request: FastifyRequest, reply: FastifyReply): Promise<Uint8Array | string> {
    this.share(request, reply);
    void reply.headers(PAGE_HEADERS);
    const { index } = this.files;
    if (index) {
      const oidc = oidcOf(this.settings, this.authenticator);
      void reply.header('content-security-policy', policyOf(oidc?.issuer));
      return this.send(index, REVALIDATED, request, reply);
    }
    void reply.headers({ 'content-security-policy': CONSOLE_PAGE.policy, 'cache-control': REVALIDATED });
    return Promise.resolve(CONSOLE_PAGE.html);
  }

  /** Sends whoever asks for the page by another address to its own, from which its addresses are relative. */
  redirect(request: FastifyRequest, reply: FastifyReply): string {
    this.share(request, reply);
    void reply.status(308).headers({ location: '../console', 'cache-control': REVALIDATED });
    return '';
  }

  /** @throws NotFound */
  showIcon(request: FastifyRequest, reply: FastifyReply): Promise<Uint8Array> {
    return this.sendFound(this.files.icon, REVALIDATED, request, reply);
  }

  /** @throws NotFound */
  showAsset(name: string, request: FastifyRequest, reply: FastifyReply): Promise<Uint8Array> {
    return this.sendFound(this.files.findAsset(name), IMMUTABLE, request, reply);
  }

  /** Pages of the origins in SVCD_CONSOLE_ALLOWED_ORIGINS may read the answer. */
  share({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
    void reply.header('vary', 'origin');
    if (origin !== undefined && this.origins.has(origin)) void reply.header('access-control-allow-origin', origin);
  }

  private sendFound(
    file: ConsoleFile | undefined,
    caching: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Uint8Array> {
    this.share(request, reply);
    if (!file) throw new NotFound({}, 'The console that was built has no file of this name; load /console again');
    return this.send(file, caching, request, reply);
  }

  private async send(
    file: ConsoleFile,
    caching: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Uint8Array> {
    const coding = file.isCompressible ? codingFor(headerOf(request, 'accept-encoding')) : undefined;
    const etag = `"${file.digest}${coding === undefined ? '' : `-${coding}`}"`;
    void reply.headers({ 'content-type': file.contentType, 'cache-control': caching, etag });
    void reply.header('vary', 'origin, accept-encoding');
    if (isKnown(headerOf(request, 'if-none-match'), etag)) {
      void reply.status(304);
      return NOTHING;
    }
    if (coding !== undefined) void reply.header('content-encoding', coding);
    return file.in(coding);
  }
}

const NOTHING = Buffer.alloc(0);
