import type { Settings } from '../config/settings.js';

/** The templates of the six addresses of the console's files (memory-daemon.md 4.11; D72). */
export const CONSOLE_PATHS: readonly string[] = [
  '/console',
  '/console/',
  '/console/index.html',
  '/console/favicon.svg',
  '/console/config.json',
  '/console/assets/:file',
];

/** An origin as browsers send it: a scheme, a host and, where it is not the scheme's own, a port. */
const HTTP_ORIGIN = /^https?:\/\/[^/\s*]+$/i;

/**
 * The origins that may read the console from another page: those of SVCD_CONSOLE_ALLOWED_ORIGINS that really are
 * http(s) origins, and where none is, this machine's own (memory-daemon.md 4.11).
 */
export function consoleOrigins({ consoleOrigins: list, httpPort }: Settings['daemon']): ReadonlySet<string> {
  const named = (list ?? '').split(',').flatMap((entry) => originOf(entry.trim()) ?? []);
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${httpPort}`);
  return new Set(named.length > 0 ? named : own);
}

/** As the WHATWG parser writes it; undefined for what is no origin, `*` and `null` among it. */
function originOf(text: string): string | undefined {
  if (!HTTP_ORIGIN.test(text) || !URL.canParse(text)) return undefined;
  const { origin, username } = new URL(text);
  return username === '' ? origin : undefined;
}
