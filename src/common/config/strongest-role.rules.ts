import { GROUP_ROLES, type GroupRole } from './people-settings.js';

/**
 * What groups at an identity provider give: of several roles the one that may do most.
 * @param groups names; what is no text is no group
 * @returns undefined where none of them gives anything
 */
export function strongestRole(
  groups: readonly unknown[],
  groupRoles: readonly (readonly [string, GroupRole])[],
): GroupRole | undefined {
  const given = groupRoles.filter(([group]) => groups.includes(group)).map(([, role]) => role);
  return strongestOf(given);
}

export const strongestOf = (roles: readonly string[]): GroupRole | undefined =>
  GROUP_ROLES.find((role) => roles.includes(role));
