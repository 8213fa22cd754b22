import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Metrics } from '../observability/metrics.js';

/** What an entry takes beyond its value: its key, and its places in the lists of the budget. */
const ENTRY_BYTES = 200;

/** What is kept in memory to be faster, and may be gone at any time. */
export interface ByteCache<V> {
  get(key: string): V | undefined;
  /** Keeps it at the size that it has now: a value that grew is set again. One over the whole budget is not kept. */
  set(key: string, value: V): void;
  delete(key: string): void;
  values(): V[];
  /** What all its values take, in bytes, as they were when they were set. */
  readonly bytes: number;
}

interface Entry {
  readonly cache: string;
  readonly value: object;
  readonly bytes: number;
}

/**
 * The bytes that the caches of a process hold at once, SVC_CACHE_MIB. All share them: what was used longest ago goes
 * first, whichever cache it is of, so that no share has to be chosen and none lies idle.
 */
@Injectable()
export class CacheBudget {
  readonly bytes: number;
  private readonly entries: LRUCache<string, Entry>;
  private readonly held = new Map<string, number>();

  constructor(@Inject(SETTINGS) settings: Settings, @Inject(Metrics) metrics: Metrics) {
    this.bytes = settings.process.cacheMib * 1024 * 1024;
    this.entries = new LRUCache<string, Entry>({
      maxSize: this.bytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: ({ cache, bytes }) => this.count(cache, -bytes),
      // Called for what was kept; what is too large for the whole budget never was.
      onInsert: ({ cache, bytes }) => this.count(cache, bytes),
    });
    metrics.gauge('svc_cache_bytes', 'Memory held by each cache of the process, estimated.', ['cache'], (gauge) => {
      for (const [cache, bytes] of this.held) gauge.set({ cache }, bytes);
    });
    metrics.gauge('svc_cache_max_bytes', 'Most that all caches of the process hold at once.', [], (gauge) =>
      gauge.set(this.bytes),
    );
  }

  /**
   * A cache within the budget. Its name is its label in the metrics.
   * @param sizeOf bytes of a value, its parts included
   * @param ttl milliseconds after which an entry is gone; 0: none
   */
  open<V extends object>(name: string, sizeOf: (value: V) => number, ttl = 0): ByteCache<V> {
    const { entries, held } = this;
    const keyOf = (key: string): string => `${name} ${key}`;
    held.set(name, 0);
    return {
      get: (key) => entries.get(keyOf(key))?.value as V | undefined,
      set: (key, value) => {
        const bytes = Math.ceil(sizeOf(value)) + key.length * 2 + ENTRY_BYTES;
        entries.set(keyOf(key), { cache: name, value, bytes }, { ttl });
      },
      delete: (key) => void entries.delete(keyOf(key)),
      values: () => [...entries.values()].filter(({ cache }) => cache === name).map(({ value }) => value as V),
      get bytes() {
        return held.get(name)!;
      },
    };
  }

  private count(cache: string, bytes: number): void {
    this.held.set(cache, this.held.get(cache)! + bytes);
  }
}
