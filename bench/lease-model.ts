import type { Model, Operation } from './linearizability.js';

/** Times are microseconds of one clock; of the server's times those that were answered. */
export type LeaseCall =
  | { kind: 'claim'; outcome: 'done'; fence: number; expiresAt: number; version?: number | undefined }
  | { kind: 'claim'; outcome: 'refused' }
  | { kind: 'renew'; outcome: 'done'; fence: number; expiresAt: number }
  | { kind: 'renew'; outcome: 'unknown'; fence: number; ttl: number }
  | { kind: 'write'; outcome: 'done'; fence: number; version?: number | undefined }
  | { kind: 'release'; outcome: 'done'; fence: number }
  | { kind: 'write' | 'release'; outcome: 'unknown'; fence: number }
  | { kind: 'renew' | 'write' | 'release'; outcome: 'refused'; fence: number }
  /** `fence` is that of the lease which was shown, null where none was. */
  | { kind: 'read'; outcome: 'done'; fence: number | null };

/**
 * A work item: a register of its lease. `at` is the earliest time at which the last call can have taken effect; what
 * follows takes effect no earlier. The end of the lease lies from `earliestEnd` to `latestEnd`: at one time where it
 * was answered, anywhere from the first where a renewal was not.
 */
export interface LeaseState {
  at: number;
  /** The highest that was given. */
  fence: number;
  version: number;
  isHeld: boolean;
  earliestEnd: number;
  latestEnd: number;
}

const FREE: LeaseState = { at: 0, fence: 0, version: 0, isHeld: false, earliestEnd: 0, latestEnd: 0 };

/**
 * One holder at a time; a fence is greater than every one before; only the fence of the live lease renews, releases and
 * writes; a lease whose time is over is free at once.
 * @param tolerance by how many microseconds the clocks of the callers and of the database may differ
 */
export function leaseModel(tolerance: number): Model<LeaseState, LeaseCall> {
  return {
    initial: FREE,
    step: (state, operation) => step({ ...state, at: Math.max(state.at, operation.start) }, operation, tolerance),
    keyOf: ({ at, fence, version, isHeld, earliestEnd, latestEnd }) =>
      [at, fence, version, Number(isHeld), earliestEnd, latestEnd].join(),
    isRead: ({ kind, outcome }) => kind === 'read' || outcome === 'refused',
  };
}

function step(state: LeaseState, { call, end }: Operation<LeaseCall>, tolerance: number): LeaseState | undefined {
  if (state.at > end) return undefined;
  if (call.kind === 'claim') {
    if (call.outcome === 'refused') return whileHeld(state, tolerance);
    const free = onceFree(state, end, tolerance);
    return free && granted(free, call);
  }
  if (call.kind === 'read')
    return call.fence === null
      ? onceFree(state, end, tolerance)
      : call.fence === state.fence
        ? whileHeld(state, tolerance)
        : undefined;
  if (call.outcome === 'refused') return call.fence === state.fence ? onceFree(state, end, tolerance) : state;
  const held = call.fence === state.fence ? whileHeld(state, tolerance) : undefined;
  return held && changed(held, call, tolerance);
}

/** The same state where the lease may still be live. */
const whileHeld = (state: LeaseState, tolerance: number): LeaseState | undefined =>
  state.isHeld && state.at < state.latestEnd + tolerance ? state : undefined;

/** The state at the earliest time, by the end of the call, at which nobody holds it. */
function onceFree(state: LeaseState, end: number, tolerance: number): LeaseState | undefined {
  if (!state.isHeld) return state;
  const at = Math.max(state.at, state.earliestEnd - tolerance);
  return at > end ? undefined : { ...state, at };
}

function granted(
  { at, fence, version }: LeaseState,
  call: LeaseCall & { kind: 'claim'; outcome: 'done' },
): LeaseState | undefined {
  if (call.fence <= fence) return undefined;
  if (call.version !== undefined && call.version <= version) return undefined;
  const { expiresAt } = call;
  return {
    at,
    fence: call.fence,
    version: call.version ?? version,
    isHeld: true,
    earliestEnd: expiresAt,
    latestEnd: expiresAt,
  };
}

function changed(held: LeaseState, call: LeaseCall, tolerance: number): LeaseState | undefined {
  if (call.kind === 'release') return { ...held, isHeld: false, earliestEnd: 0, latestEnd: 0 };
  if (call.kind === 'renew' && call.outcome === 'done')
    return { ...held, earliestEnd: call.expiresAt, latestEnd: call.expiresAt };
  if (call.kind === 'renew' && call.outcome === 'unknown')
    return { ...held, earliestEnd: Math.max(held.earliestEnd, held.at + call.ttl - tolerance), latestEnd: Infinity };
  if (call.kind === 'write' && call.outcome === 'done' && call.version !== undefined)
    return call.version > held.version ? { ...held, version: call.version } : undefined;
  return held;
}
