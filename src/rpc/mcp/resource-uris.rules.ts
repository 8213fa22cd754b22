import { isDotSegment } from '../../common/http/dot-segment.js';

const SCHEME = 'svc://';

/** The URI of a resource: each part is encoded, whatever stands in it. */
export const resourceUri = (...parts: string[]): string =>
  SCHEME + parts.map((part) => encodeURIComponent(part)).join('/');

/** The parts of such a URI; undefined where it is none, or where a part would be a step in a path. */
export function partsOfUri(uri: string): string[] | undefined {
  if (!uri.startsWith(SCHEME) || !uri.isWellFormed() || /[?#]/.test(uri)) return undefined;
  try {
    const parts = uri.slice(SCHEME.length).split('/').map(decodeURIComponent);
    return parts.some((part) => part === '' || isDotSegment(part)) ? undefined : parts;
  } catch {
    return undefined;
  }
}
