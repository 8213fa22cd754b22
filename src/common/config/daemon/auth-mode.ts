/** How the daemon finds out who calls (memory-daemon.md 5.1). */
export const AUTH_MODES = ['off', 'dev_scopes', 'jwt_hs256', 'jwt_jwks'] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

const SPELLINGS: Record<string, AuthMode> = {
  off: 'off',
  dev: 'dev_scopes',
  devscopes: 'dev_scopes',
  jwt: 'jwt_hs256',
  hs256: 'jwt_hs256',
  jwths256: 'jwt_hs256',
  jwks: 'jwt_jwks',
  oidc: 'jwt_jwks',
  jwtjwks: 'jwt_jwks',
};

/** Reads a mode leniently: any casing, with hyphens, underscores, blanks or nothing between the words. */
export const authModeOf = (text: string): AuthMode | undefined => SPELLINGS[text.toLowerCase().replace(/[\s_-]/g, '')];

/** The modes that accept what a caller claims about itself without proof. */
export const isDevMode = (mode: AuthMode): boolean => mode === 'off' || mode === 'dev_scopes';
