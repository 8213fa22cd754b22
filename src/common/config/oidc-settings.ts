import { z } from 'zod';
import { setting, text, textOr, url } from './setting.js';

/**
 * The identity provider that this installation trusts, a group of the table in settings.ts (docs/mcp-clients.md,
 * docs/sign-in.md).
 */
export const OIDC_SETTINGS = {
  issuer: setting(
    'SVC_OIDC_ISSUER',
    url('http', 'https'),
    'The OpenID Provider whose people and tokens this installation trusts, exactly as its tokens name it (iss). Both MCP endpoints then take its access tokens, and publish how to get one (RFC 9728); with SVC_OIDC_CLIENT_ID people sign in there with a browser. Unset: none.',
  ),
  audience: setting(
    'SVC_OIDC_AUDIENCE',
    text(),
    'The audience (aud) of those tokens, where the provider cannot put the address of the MCP endpoint there.',
    { shownDefault: 'the address of the endpoint, for each its own' },
  ),
  scopes: setting(
    'SVC_OIDC_SCOPES',
    z.preprocess(
      (value) => (typeof value === 'string' ? value.split(/\s+/).filter((scope) => scope !== '') : []),
      z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'expected scopes as RFC 6749, 3.3 has them')),
    ),
    'Scopes that those tokens must bear, separated by blanks. Clients are asked to request them.',
    { shownDefault: 'none' },
  ),
  personClaim: setting(
    'SVC_OIDC_PERSON_CLAIM',
    textOr('email'),
    'The claim of those tokens with the e-mail address of a seat. `email` counts where `email_verified` is true; any other is believed as it is, so name one that people cannot set themselves.',
  ),
  tenantClaim: setting(
    'SVC_OIDC_TENANT_CLAIM',
    text(),
    'The claim of those tokens that names the tenant; a token without it is refused. Unset: the header x-tenant-id names it, or the person has a seat in one tenant alone.',
  ),
};
