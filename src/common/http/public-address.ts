import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SETTINGS, type Settings } from '../config/settings.js';
import { bracketed, isWildcard } from './bound-address.js';

/** Under which address people and programs reach this server, for links in answers and mails. */
@Injectable()
export class PublicAddress {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost | undefined,
  ) {}

  /** Of the tenant API, for the other apps. */
  static ofApi(settings: Settings): PublicAddress {
    return new PublicAddress(settings, undefined);
  }

  /**
   * @param path begins with a slash
   * @returns an absolute URL: under SVC_PUBLIC_URL, else under the address the server is bound to
   */
  urlOf(path: string): string {
    const base = this.settings.process.publicUrl ?? `http://${this.boundHost()}`;
    return base.replace(/\/+$/, '') + path;
  }

  private boundHost(): string {
    const { host, port } = this.settings.api;
    const server = this.adapterHost?.httpAdapter.getHttpServer() as { address(): AddressInfo | null } | undefined;
    return `${isWildcard(host) ? 'localhost' : bracketed(host)}:${server?.address()?.port ?? port}`;
  }
}
