import { GROUP_ROLES, type GroupRole } from '../../../../common/config/people-settings.js';

/** Who signed in at the identity provider, as far as a seat is concerned. */
export interface ProviderPerson {
  /** In lower case. */
  email: string;
  /** What the groups give; undefined where none of them gives anything. */
  role: GroupRole | undefined;
}

/**
 * Whom the claims of a provider are about (OpenID Connect Core 1.0, 5.1).
 * @param claims of the ID token, or of UserInfo
 * @returns undefined without an e-mail address that the provider has verified
 */
export function personOf(
  claims: Readonly<Record<string, unknown>>,
  { groupsClaim, groupRoles }: { groupsClaim: string; groupRoles: readonly (readonly [string, GroupRole])[] },
): ProviderPerson | undefined {
  const { email, email_verified } = claims;
  if (typeof email !== 'string' || email === '' || email_verified !== true) return undefined;
  const groups = claims[groupsClaim];
  return { email: email.toLowerCase(), role: roleOfGroups(Array.isArray(groups) ? groups : [], groupRoles) };
}

/** Of several roles the one that may do most. @param groups anything; what is no text is no group */
function roleOfGroups(
  groups: readonly unknown[],
  groupRoles: readonly (readonly [string, GroupRole])[],
): GroupRole | undefined {
  const given = groupRoles.filter(([group]) => groups.includes(group)).map(([, role]) => role);
  return GROUP_ROLES.find((role) => given.includes(role));
}
