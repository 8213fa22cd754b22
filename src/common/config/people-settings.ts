import { z } from 'zod';
import { TENANT_NAME, TENANT_NAME_FORM } from '../keys/tenant-name.js';
import { setting, text, textOr } from './setting.js';

/** What groups at the identity provider may make somebody; nobody becomes owner by one. */
export const GROUP_ROLES = ['admin', 'member', 'viewer'] as const;
export type GroupRole = (typeof GROUP_ROLES)[number];

/** The tenants whose people sign in at the identity provider, and whose roles their groups decide. */
export const peopleTenants = (settings: {
  people: { tenants?: readonly string[] | undefined };
  bootstrap: { tenantId: string };
}): readonly string[] => settings.people.tenants ?? [settings.bootstrap.tenantId];

const EXPECTED_PAIRS = `expected group:role separated by commas, with the roles ${GROUP_ROLES.join(', ')}`;

/** `group:role`, separated by commas. The role is what follows the last colon: names of groups may have some. */
const groupRoles = () => z.string().default('').transform(readPairs);

function readPairs(text: string, context: z.RefinementCtx): (readonly [string, GroupRole])[] {
  const entries = text.trim() === '' ? [] : text.split(',').map((entry) => entry.trim());
  const pairs = entries.map((entry) => {
    const at = entry.lastIndexOf(':');
    return [entry.slice(0, Math.max(at, 0)).trim(), entry.slice(at + 1).trim() as GroupRole] as const;
  });
  const wrong = entries.filter((_, place) => pairs[place]![0] === '' || !GROUP_ROLES.includes(pairs[place]![1]));
  if (wrong.length === 0) return pairs;
  const named = wrong.map((entry) => JSON.stringify(entry)).join(', ');
  context.addIssue({ code: 'custom', message: `${EXPECTED_PAIRS}; ${named} is none` });
  return z.NEVER;
}

const tenantNames = () =>
  z.preprocess(
    (value) =>
      typeof value === 'string' && value.trim() !== '' ? value.split(',').map((name) => name.trim()) : undefined,
    z.array(z.string().regex(TENANT_NAME, `expected names of tenants: ${TENANT_NAME_FORM}`)).optional(),
  );

/** People who sign in at an identity provider, a group of the table in settings.ts (docs/sign-in.md). */
export const PEOPLE_SETTINGS = {
  clientId: setting(
    'SVC_OIDC_CLIENT_ID',
    text(),
    'The client by which people sign in at SVC_OIDC_ISSUER for a session of their seat. Unset: there is no such sign-in.',
  ),
  clientSecret: setting(
    'SVC_OIDC_CLIENT_SECRET',
    text(),
    'The secret of that client. Unset: it is a public one, with PKCE alone.',
    { secret: true },
  ),
  scopes: setting(
    'SVC_OIDC_SIGN_IN_SCOPES',
    textOr('openid email'),
    'The scopes that people are asked for at that sign-in, separated by blanks.',
  ),
  tenants: setting(
    'SVC_OIDC_TENANTS',
    tenantNames(),
    'The tenants whose people sign in so, and whose roles their groups decide, separated by commas.',
    { shownDefault: 'SVC_BOOTSTRAP_TENANT_ID' },
  ),
  groupsClaim: setting(
    'SVC_OIDC_GROUPS_CLAIM',
    textOr('groups'),
    'The claim with the names of the groups of a person, a list.',
  ),
  groupRoles: setting(
    'SVC_OIDC_GROUP_ROLES',
    groupRoles(),
    'The role that a group gives, such as `admins:admin,staff:member`, separated by commas; of several the one that may do most. Owners stay owners, and nobody becomes one. Unset: groups decide nothing.',
  ),
};
