import { createStore } from '../../client/store.ts';
import { parsePinnedKey, type PinnedKey } from '../../verify/keys.ts';

/** The key that the reader trusts, in memory alone: another page begins without one. */
const pinned = createStore<PinnedKey | undefined>(undefined);

/** @throws Error saying what was expected */
export const pin = async (text: string): Promise<void> => pinned.set(await parsePinnedKey(text));
export const unpin = (): void => pinned.set(undefined);

export const usePinnedKey = (): PinnedKey | undefined => pinned.use();
