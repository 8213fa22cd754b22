import { LRUCache } from 'lru-cache';

export type BoundedCache<V extends object | number | boolean> = LRUCache<string, V>;

/**
 * A cache of at most so many entries: beyond it the one that was used longest ago goes. It grows with what it holds;
 * by its own `max` an LRUCache takes the memory of all entries, and the time to fill it, before there is one.
 * @param ttl milliseconds after which an entry is gone; 0: none
 */
export const boundedCache = <V extends object | number | boolean>(most: number, ttl = 0): BoundedCache<V> =>
  new LRUCache<string, V>({ maxSize: most, sizeCalculation: () => 1, ttl });
