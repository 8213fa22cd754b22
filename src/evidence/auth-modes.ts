/**
 * Whether what was done under this mode of authentication proves nothing of who did it: the caller was not asked for
 * proof (D31). Modes of development begin with `dev`; `off` asks nobody anything.
 */
export const provesNothing = (authMode: string): boolean => authMode === 'off' || authMode.startsWith('dev');
