import { bytesOfBase64Url } from '../verify/bytes.ts';

interface TokenClaims {
  subject: string | undefined;
  tenant: string | undefined;
  /** Whom it is for. */
  audience: string[];
  /** Separated by blanks. */
  scopes: string;
  /** Unix milliseconds. */
  expiresAt: number | undefined;
}

/**
 * What a token says of itself (RFC 7519), to be shown; the daemon alone decides whether it holds.
 *
 * @throws Error when it is no JWT
 */
export function claimsOf(token: string): TokenClaims {
  try {
    const claims = JSON.parse(
      new TextDecoder().decode(bytesOfBase64Url(token.split('.')[1] ?? '', 'its second part')),
    ) as Record<string, unknown>;
    const text = (name: string) => (typeof claims[name] === 'string' ? claims[name] : undefined);
    const { exp: expires, aud = [], scope = '', scopes = [] } = claims;
    return {
      subject: text('passport_id') ?? text('sub'),
      tenant: text('tenant_id') ?? (Array.isArray(claims['tenants']) ? String(claims['tenants'][0]) : undefined),
      audience: [aud].flat().map(String),
      scopes: [scope, scopes].flat().map(String).join(' '),
      expiresAt: typeof expires === 'number' ? expires * 1_000 : undefined,
    };
  } catch {
    throw new Error('This is no token: a JWT has three parts with dots between them');
  }
}
