import { isStorableText } from '../http/headers.js';

/**
 * The absolute addresses of which a client may have asked for one, as a URL writes them: TLS may end in front of this
 * server, so that both schemes are meant.
 * @param publicUrl where peers reach the server, if not by the name that they send
 * @param url the target of the request: a path with its query
 * @returns none where there is no name
 */
export function targetUrisOf(publicUrl: string | undefined, host: string | undefined, url: string): string[] {
  if (!url.startsWith('/') || !isStorableText(url)) return [];
  if (publicUrl !== undefined) return [publicUrl.replace(/\/+$/, '') + url];
  return ['https', 'http'].flatMap((scheme) => {
    const origin = `${scheme}://${host ?? ''}`;
    return host !== undefined && URL.canParse(origin) ? [new URL(origin).origin + url] : [];
  });
}
