import { useSyncExternalStore } from 'react';

/** A value of the whole page, in memory alone, that components follow. */
export interface Store<T> {
  get(): T;
  /** Everybody who uses it is rendered again, unless it is the same value. */
  set(next: T): void;
  /** The value, in a component. */
  use(): T;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get: () => value,
    set: (next) => {
      value = next;
      listeners.forEach((listener) => listener());
    },
    use: () => useSyncExternalStore(subscribe, () => value),
  };
}
