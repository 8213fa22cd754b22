import { randomBytes } from 'node:crypto';
import { Signer } from '@fastify/cookie';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { isServedByTls } from '../http/own-hosts.js';
import { sha256 } from '../../evidence/sha256.js';

export const SESSION_COOKIE = 'svc_session';
/** How long a session lasts (D8). */
export const SESSION_SECONDS = 12 * 3600;

/** What the cookie names: whose session, and by which secret it is found. Only the secret's hash is stored. */
export interface SessionAddress {
  tenantId: string;
  hash: Buffer;
}

/** Whether a cookie of a session came, of whomever; an empty one is what a logout leaves behind. */
export const isSessionCookieIn = (cookieHeader: string): boolean => Boolean(parseCookie(cookieHeader)[SESSION_COOKIE]);

/** The session cookie of a request as a Cookie header of its own: what else came with it is of others. */
export const sessionCookieAlone = (cookieHeader: string | undefined): string | undefined =>
  cookieHeader
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${SESSION_COOKIE}=`) && part.length > SESSION_COOKIE.length + 1);

/** Session cookies (RFC 6265): `<base64url tenant>.<256 random bits>`, signed with HMAC-SHA256. */
export class SessionCookies {
  private readonly signer: Signer;

  constructor(secret: Buffer) {
    this.signer = new Signer(secret.toString('hex'));
  }

  mint(tenantId: string): { value: string; hash: Buffer } {
    const value = `${Buffer.from(tenantId).toString('base64url')}.${randomBytes(32).toString('base64url')}`;
    return { value: this.signer.sign(value), hash: sha256(value) };
  }

  /** @returns undefined when there is no session cookie or its signature is not ours */
  read(cookieHeader: string): SessionAddress | undefined {
    const given = parseCookie(cookieHeader)[SESSION_COOKIE];
    if (given === undefined) return undefined;
    const { valid, value } = this.signer.unsign(given);
    if (!valid) return undefined;
    return { tenantId: Buffer.from(value.split('.')[0]!, 'base64url').toString('utf8'), hash: sha256(value) };
  }

  isForged(cookieHeader: string): boolean {
    return isSessionCookieIn(cookieHeader) && this.read(cookieHeader) === undefined;
  }
}

/** The Set-Cookie header of a session; with an empty value the one that ends it. */
export function setCookieHeader(request: FastifyRequest, value: string, publicUrl: string | undefined): string {
  return stringifySetCookie({
    name: SESSION_COOKIE,
    value,
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure: isServedByTls(request.hostname, publicUrl),
    maxAge: value === '' ? 0 : SESSION_SECONDS,
  });
}
