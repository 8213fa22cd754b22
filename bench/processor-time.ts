import { runningProcesses } from './processes.js';

/** Linux counts in hundredths of a second (USER_HZ), whatever the kernel's own clock is. */
const TICKS_A_SECOND = 100;

/**
 * The processor time that a process and all below it have used since their start, also those that have ended; undefined
 * where there is no /proc. It says what work costs when the machine is busy with something else.
 */
export function processorSeconds(pid: number): number | undefined {
  try {
    const processes = runningProcesses();
    const below = Map.groupBy(processes, ({ parent }) => parent);
    const sum = (id: number): number =>
      (below.get(id) ?? []).reduce((ticks, one) => ticks + one.ticks + sum(one.id), 0);
    const own = processes.find(({ id }) => id === pid);
    return own && (own.ticks + sum(pid)) / TICKS_A_SECOND;
  } catch {
    return undefined;
  }
}
