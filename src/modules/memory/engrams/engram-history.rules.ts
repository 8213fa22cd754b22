/** A version of an engram as the tenant has it, oldest first in a history; deletions are none. */
export interface StoredVersion {
  version: number;
  digest: string;
}

/**
 * Where the versions of a pack stand in the history of the tenant. From the first that is not there on all of them are
 * stored: versions keep their order, and the last of the pack becomes the current one.
 * @param sent digests, oldest first
 * @param isLive whether the last of the history is the current version; false of a deleted engram
 * @returns of each the version of the tenant, as far as they are there
 */
export function versionsThere(sent: readonly string[], history: readonly StoredVersion[], isLive: boolean): number[] {
  const there: number[] = [];
  let from = 0;
  for (const [place, digest] of sent.entries()) {
    const isLast = place === sent.length - 1;
    const at = isLast
      ? lastOf(digest, history, isLive)
      : history.findIndex((one, i) => i >= from && one.digest === digest);
    if (at < from) break;
    there.push(history[at]!.version);
    from = at + 1;
  }
  return there;
}

const lastOf = (digest: string, history: readonly StoredVersion[], isLive: boolean): number =>
  isLive && history.at(-1)?.digest === digest ? history.length - 1 : -1;
