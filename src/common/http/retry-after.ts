/**
 * How long a server asks to be left alone, by its header Retry-After (RFC 9110, section 10.2.3): seconds, or a date.
 *
 * @returns milliseconds, 0 for a date that is past; undefined where it does not say, or not in that form
 */
export function retryAfterMs(header: string | null | undefined, now = Date.now()): number | undefined {
  if (!header) return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
