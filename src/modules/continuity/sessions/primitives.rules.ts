import type { Issue } from '../../../common/problem/common-problems.js';
import type { PrimitiveChange } from './journal/journal.types.js';
import type { PrimitiveSent } from './primitives.dto.js';

export const MAX_DATA_BYTES = 16 * 1024;

/** What is wrong with a primitive that was sent, beyond what its members say of themselves. */
export function issueWith({ content, retired, expectedVersion = 0 }: PrimitiveSent): Issue | undefined {
  if (retired && expectedVersion === 0)
    return { path: 'body.expectedVersion', message: 'is needed to retire: the version you have read' };
  if (!content) {
    if (retired) return undefined;
    return { path: 'body.content', message: 'is needed unless retired is true' };
  }
  if (content.text === undefined && content.data === undefined)
    return { path: 'body.content', message: 'must have text, data or both' };
  if (content.data && Buffer.byteLength(JSON.stringify(content.data)) > MAX_DATA_BYTES)
    return { path: 'body.content.data', message: `must be at most ${MAX_DATA_BYTES} bytes of JSON` };
  return undefined;
}

/** What a new version did to a primitive. `before` is whether it was retired; undefined where there was none. */
export function changeOf(before: boolean | undefined, retired: boolean): PrimitiveChange {
  if (retired) return 'retired';
  if (before === undefined) return 'created';
  return before ? 'revived' : 'replaced';
}
