import { createHash, randomBytes } from 'node:crypto';
import { Signer } from '@fastify/cookie';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';

export const SESSION_COOKIE = 'svc_session';
/** How long a session lasts (D8). */
export const SESSION_SECONDS = 12 * 3600;

/** What the cookie names: whose session, and by which secret it is found. Only the secret's hash is stored. */
export interface SessionAddress {
  tenantId: string;
  hash: Buffer;
}

/** Session cookies (RFC 6265): `<base64url tenant>.<256 random bits>`, signed with HMAC-SHA256. */
export class SessionCookies {
  private readonly signer: Signer;

  constructor(secret: Buffer) {
    this.signer = new Signer(secret.toString('hex'));
  }

  mint(tenantId: string): { value: string; hash: Buffer } {
    const value = `${Buffer.from(tenantId).toString('base64url')}.${randomBytes(32).toString('base64url')}`;
    return { value: this.signer.sign(value), hash: hashOf(value) };
  }

  /** @returns undefined when there is no session cookie or its signature is not ours */
  read(cookieHeader: string): SessionAddress | undefined {
    const given = parseCookie(cookieHeader)[SESSION_COOKIE];
    if (given === undefined) return undefined;
    const { valid, value } = this.signer.unsign(given);
    if (!valid) return undefined;
    return { tenantId: Buffer.from(value.split('.')[0]!, 'base64url').toString('utf8'), hash: hashOf(value) };
  }
}

const hashOf = (value: string): Buffer => createHash('sha256').update(value).digest();

/**
 * The Set-Cookie header of a session; with an empty value the one that ends it. Secure unless the server is reached on loopback; behind a proxy
 * that hides by which name, the public address tells.
 */
export function setCookieHeader(request: FastifyRequest, value: string, publicUrl: string | undefined): string {
  return stringifySetCookie({
    name: SESSION_COOKIE,
    value,
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure: !isLoopback(request.hostname) || publicUrl?.startsWith('https:') === true,
    maxAge: value === '' ? 0 : SESSION_SECONDS,
  });
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname === '::1' || /^127(\.\d{1,3}){3}$/.test(hostname);
