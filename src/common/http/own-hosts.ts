import type { FastifyRequest } from 'fastify';
import type { Settings } from '../config/settings.js';
import { Forbidden } from '../problem/house-problems.js';
import { headerOf } from './headers.js';

/**
 * Keeps pages of other servers from a listener that a browser on this machine can reach (Model Context Protocol, "Security Warning" of the
 * HTTP transport): one bound to loopback answers to its own names alone, so that a foreign name that was made to resolve to this machine
 * leads nowhere, and an Origin must be this server.
 *
 * @returns what refuses such requests
 */
export function refuseForeign({
  host,
  publicUrl,
  allowedHosts,
  variable = 'SVC_TOOLS_ALLOWED_HOSTS',
}: Pick<Settings['tools'], 'host' | 'publicUrl' | 'allowedHosts'> & {
  /** The setting that adds names. */
  variable?: string;
}): (request: FastifyRequest) => Forbidden | undefined {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl);
  const names = new Set([...allowedHosts, ...(own ? [own.hostname] : [])]);
  const isOwnName = (name: string) => !isLoopback(host) || isLoopback(name) || names.has(name);
  return (request) => {
    const { hostname, host: named } = nameOf(request);
    if (!isOwnName(hostname))
      return new Forbidden({}, `headers.host is no name of this server; ${variable} adds names`);
    const origin = headerOf(request, 'origin');
    if (origin === undefined || origin === own?.origin || hostOf(origin) === named) return undefined;
    return new Forbidden({}, 'headers.origin is not this server');
  };
}

/** The Host header as a URL understands it: lower case, and without a port that is the usual one. */
function nameOf(request: FastifyRequest): { hostname: string; host: string } {
  const text = `http://${request.headers.host ?? ''}`;
  return URL.canParse(text) ? new URL(text) : { hostname: '', host: '' };
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

/** RFC 6761 keeps localhost for loopback; 127.0.0.0/8 and ::1 are its addresses. */
const isLoopback = (name: string): boolean =>
  name === 'localhost' ||
  name.endsWith('.localhost') ||
  /^127(\.\d{1,3}){3}$/.test(name) ||
  name === '::1' ||
  name === '[::1]';
