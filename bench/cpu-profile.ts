import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The parts of a V8 CPU profile that are read (Chrome DevTools Protocol, Profiler.Profile). Times are microseconds of
 * the monotonic clock.
 */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

/** A span of the monotonic clock, as {@link monotonicMicroseconds} measures it. */
export interface Phase {
  name: string;
  from: number;
  to: number;
}

export interface SelfTime {
  /** Function, file from `dist` or `node_modules` on, and line. */
  place: string;
  milliseconds: number;
  /** Of the time in which some JavaScript or native code ran, over all threads. */
  share: number;
}

/** The clock that V8's profiles are stamped with, comparable between the processes of a machine. */
export const monotonicMicroseconds = (): number => Number(process.hrtime.bigint() / 1000n);

/** Profiles that the processes and threads of a server left in a folder. */
export function readProfiles(folder: string): CpuProfile[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'));
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile);
}

/** Where the processor's time went in a phase: the functions with the most self time, over all profiles. */
export function topSelfTimes(profiles: readonly CpuProfile[], phase: Phase, count: number): SelfTime[] {
  const spent = new Map<string, number>();
  for (const profile of profiles) addSelfTimes(profile, phase, spent);
  const total = [...spent.values()].reduce((sum, time) => sum + time, 0);
  return [...spent]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([place, time]) => ({ place, milliseconds: time / 1000, share: time / total }));
}

function addSelfTimes(
  { nodes, startTime, samples, timeDeltas }: CpuProfile,
  { from, to }: Phase,
  spent: Map<string, number>,
): void {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  let at = startTime;
  samples.forEach((sample, i) => {
    at += timeDeltas[i]!;
    const place = places.get(sample);
    // The sample is of the moment `at`; the time from it to the next sample counts as spent there.
    const until = at + (timeDeltas[i + 1] ?? 0);
    const time = Math.min(until, to) - Math.max(at, from);
    if (place !== undefined && time > 0) spent.set(place, (spent.get(place) ?? 0) + time);
  });
}

/**
 * What a thread does while it has nothing to do; a worker of the pool blocks on a word of shared memory, which V8 takes
 * for work.
 */
const WAITING = new Set(['(idle)', '(root)', 'atomicsWaitLoop']);

/** Nothing for the time in which the thread waited. */
function placeOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string | undefined {
  if (WAITING.has(functionName)) return undefined;
  const file = /node_modules\/(?!.*node_modules\/).*$|dist\/.*$/.exec(url)?.[0] ?? url;
  const name = functionName || '(anonymous)';
  return file ? `${name} ${file}:${lineNumber + 1}` : name;
}
