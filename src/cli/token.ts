import { createSecretKey } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';
import { SignJWT, type JWTPayload } from 'jose';
import { loadSettings, type Settings } from '../common/config/settings.js';
import { readSharedSecret } from '../common/bearer-auth/shared-secret.js';
import { LEEWAY_SECONDS } from '../common/bearer-auth/token-verifier.js';
import { MalformedClaim, readClaims } from '../common/bearer-auth/token-claims.js';
import { SCOPES } from '../common/contract/scopes.js';
import { print, report, UsageError, type OutputOptions } from './output.js';
import { readSeconds } from './seconds.js';

interface TokenOptions extends OutputOptions {
  scope: string[];
  tenant?: string[];
  passport?: string;
  subject?: string;
  expiresIn: number;
}

/** `svc token` mints what the daemon takes in jwt_hs256; the token alone is on stdout. */
export const tokenCommand = (): Command =>
  new Command('token')
    .description('mint a token for the memory daemon in the mode jwt_hs256')
    .requiredOption('--scope <scope>', 'what the token may do; again or as a list for more', readScopes)
    .option('--tenant <tenant>', 'a tenant that it covers; again for more, * for all', collect)
    .option('--passport <id>', 'the passport it acts as')
    .option('--subject <name>', 'whom it is for, where that is no passport')
    .option('--expires-in <time>', 'how long it is good for: 90s, 15m, 1h, 7d', readSeconds, 3600)
    .option('--json', 'print one JSON object')
    .action(async (options: TokenOptions) => {
      const settings = loadSettings();
      const { token, expiresAt } = await mint(settings, options);
      const { authMode, jwtDefaultTenant } = settings.daemon;
      if (options.tenant === undefined && jwtDefaultTenant === undefined)
        process.stderr.write('svc: the token names no tenant (--tenant), so that it works in none by itself\n');
      if (authMode !== undefined && authMode !== 'jwt_hs256')
        report(`svc: SVCD_AUTH_MODE is ${authMode} here; only a daemon in jwt_hs256 takes this token`);
      print(options, { token, expires_at: expiresAt.toISOString() }, () => [token]);
    });

async function mint(settings: Settings, options: TokenOptions): Promise<{ token: string; expiresAt: Date }> {
  const { jwtIssuer: iss, jwtAudience: aud } = settings.daemon;
  const iat = Math.floor(Date.now() / 1000);
  const exp = iat + options.expiresIn;
  const claims: JWTPayload = {
    ...{ iss, aud, iat, exp },
    sub: options.subject,
    passport_id: options.passport,
    scope: [...new Set(options.scope)].join(' '),
    ...tenantClaim(options.tenant ?? []),
  };
  checkClaims(claims);
  const key = createSecretKey(Buffer.from(await readSharedSecret(settings)));
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(key);
  return { token, expiresAt: new Date(exp * 1000) };
}

const tenantClaim = (tenants: string[]): JWTPayload => {
  if (tenants.length === 0) return {};
  return tenants.length === 1 && tenants[0] !== '*' ? { tenant_id: tenants[0] } : { tenants };
};

/** A token that the daemon would not read is not minted. */
function checkClaims(claims: JWTPayload): void {
  try {
    readClaims(JSON.parse(JSON.stringify(claims)), Date.now(), LEEWAY_SECONDS);
  } catch (error) {
    throw error instanceof MalformedClaim ? new UsageError(error.message) : error;
  }
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

function readScopes(list: string, before: string[] = []): string[] {
  const asked = list.split(/[\s,]+/).filter((scope) => scope !== '');
  const unknown = asked.filter((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown.length > 0 || asked.length === 0)
    throw new InvalidArgumentError(
      `${unknown.length > 0 ? `No such scope: ${unknown.join(', ')}.` : 'Name a scope.'} There are:\n  ${SCOPES.join('\n  ')}`,
    );
  return [...before, ...asked];
}
