/**
 * Whether a path is meant by `/v1/facts*` (all that begins so), `/v1/query/*` (what lies below) or `/v1/append` (itself
 * alone).
 */
export function matches(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

/** The longest of the patterns that mean the path. */
export function longestMatch(patterns: readonly string[], path: string): string | undefined {
  return patterns.filter((pattern) => matches(pattern, path)).sort((a, b) => b.length - a.length)[0];
}
