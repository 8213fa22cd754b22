import { createHmac, createSecretKey } from 'node:crypto';
import { SignJWT, type JWTPayload } from 'jose';

const SECRET = 'a secret for the tests of 32 characters or more';
export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'svc-daemon';

export const HS256_ENV = {
  SVCD_AUTH_MODE: 'jwt_hs256',
  SVCD_JWT_HS256_SECRET: SECRET,
  SVCD_JWT_ISS: ISSUER,
  SVCD_JWT_AUD: AUDIENCE,
  SVCD_TRUSTED_PROXY_CIDRS: '127.0.0.1',
};

export const seconds = (fromNow = 0): number => Math.floor(Date.now() / 1000) + fromNow;

/** Claims that are accepted, and what a test makes of them; undefined leaves one out. */
export const claims = (changed: JWTPayload = {}): JWTPayload => ({
  iss: ISSUER,
  aud: AUDIENCE,
  exp: seconds(600),
  scope: 'facts:write query:read',
  tenant_id: 'alfa',
  ...changed,
});

/** A token of jwt_hs256. */
export const hs256 = (payload: JWTPayload = claims(), secret: string | Buffer = SECRET): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(createSecretKey(Buffer.from(secret)));

const segment = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token of any header and payload, be they what no library would write, under an HMAC of the secret. */
export function forged(header: unknown, payload: unknown, secret: string | Buffer = SECRET, digest = 'sha256'): string {
  const signed = `${segment(header)}.${segment(payload)}`;
  return `${signed}.${createHmac(digest, secret).update(signed).digest('base64url')}`;
}

/** The token with another payload under the old signature. */
export function withPayload(token: string, payload: unknown): string {
  const [header, , signature] = token.split('.');
  return `${header}.${segment(payload)}.${signature}`;
}
