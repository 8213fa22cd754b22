import type { FastifyRequest } from 'fastify';
import type { Settings } from '../config/settings.js';
import { Forbidden } from '../problem/common-problems.js';
import { bracketed, isLoopback } from './bound-address.js';
import { headerOf } from './headers.js';

/** One listener, as its clients reach it. */
export interface ListenerAddress {
  /** The address it binds. */
  host: string;
  /** Where clients reach it through a proxy. */
  publicUrl?: string | undefined;
  /**
   * The Model Context Protocol has its servers look at Origin wherever they are bound ("Security Warning" of the HTTP
   * transport).
   */
  speaksMcp?: true;
  /** Pages of these origins may read these addresses, which are templates of routes. */
  shared?: { paths: readonly string[]; origins: ReadonlySet<string> };
}

/**
 * By which names a listener is reached. One bound to loopback answers to its own alone, so that no page of another
 * server can reach it under a name that it had resolved to this machine (DNS rebinding). Bound to another address it
 * does so where SVC_ALLOWED_HOSTS is set.
 */
export class OwnHosts {
  private readonly names: ReadonlySet<string>;
  private readonly origins: ReadonlySet<string>;
  private readonly isRestricted: boolean;
  /** The last Host header that was parsed: most requests send the same. */
  private last: { authority: string; name: string } = { authority: '', name: '' };

  constructor(
    { process: { allowedHosts, publicUrl }, tools }: Pick<Settings, 'process' | 'tools'>,
    private readonly listener: ListenerAddress,
  ) {
    const pages = urlsOf(publicUrl, tools.publicUrl, listener.publicUrl);
    this.names = new Set([...allowedHosts, ...[...pages, ...urlsOf(tools.apiUrl)].map(({ hostname }) => hostname)]);
    this.origins = new Set(pages.map(({ origin }) => origin));
    this.isRestricted = isLoopback(listener.host) || allowedHosts.length > 0;
  }

  /** @returns why a request that is meant for another server, or comes from a page of one, goes no further */
  refuse(request: FastifyRequest): Forbidden | undefined {
    const { host } = request.headers;
    // HTTP/1.0 may leave it out, which no browser does.
    if (host !== undefined && !this.isOwn(host, request.socket.localAddress))
      return new Forbidden({}, 'headers.host is no name of this server; SVC_ALLOWED_HOSTS adds names');
    const origin = headerOf(request, 'origin');
    if (origin === undefined || !(this.isRestricted || this.listener.speaksMcp)) return undefined;
    if (this.origins.has(origin) || isSameHost(origin, host) || this.isShared(request, origin)) return undefined;
    return new Forbidden({}, 'headers.origin is not this server; SVC_PUBLIC_URL names the address of its pages');
  }

  /**
   * @param authority the Host header, or :authority
   * @param reached the address the request came to: a probe that names it was not led here by a name
   */
  isOwn(authority: string, reached?: string): boolean {
    if (!this.isRestricted) return true;
    if (authority !== this.last.authority) this.last = { authority, name: urlOf(authority)?.hostname ?? '' };
    const { name } = this.last;
    return isLoopbackName(name) || this.names.has(name) || name === addressIn(reached);
  }

  /** Whether browsers reach this listener by TLS, which ends in front of it. */
  isSecure({ hostname }: FastifyRequest): boolean {
    return isServedByTls(hostname, this.listener.publicUrl);
  }

  private isShared({ routeOptions }: FastifyRequest, origin: string): boolean {
    const { shared } = this.listener;
    return shared !== undefined && shared.paths.includes(routeOptions.url!) && shared.origins.has(origin);
  }
}

/**
 * Under another name than those of loopback there is a proxy with TLS in front; one that hides by which name is known
 * by the public address.
 */
export const isServedByTls = (hostname: string, publicUrl: string | undefined): boolean =>
  !isLoopback(hostname) || publicUrl?.startsWith('https:') === true;

const urlsOf = (...urls: (string | undefined)[]): URL[] =>
  urls.flatMap((url) => (url === undefined ? [] : [new URL(url)]));

/** A Host header as a URL understands it: lower case, and without a port that is the usual one. */
const urlOf = (authority: string): URL | undefined =>
  URL.canParse(`http://${authority}`) ? new URL(`http://${authority}`) : undefined;

const isSameHost = (origin: string, host = ''): boolean =>
  URL.canParse(origin) && host !== '' && new URL(origin).host === urlOf(host)?.host;

/** RFC 6761 keeps localhost and the names below it for loopback. */
const isLoopbackName = (name: string): boolean => isLoopback(name) || name.endsWith('.localhost');

const addressIn = (address: string | undefined): string | undefined =>
  address === undefined ? undefined : bracketed(address.replace(/^::ffff:(?=\d+\.)/, ''));
