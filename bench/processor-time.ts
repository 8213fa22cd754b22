import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second (USER_HZ), whatever the kernel's own clock is. */
const TICKS_A_SECOND = 100;

/**
 * The processor time that a process and all below it have used since their start, also those that have ended; undefined
 * where there is no /proc. It says what work costs when the machine is busy with something else.
 */
export function processorSeconds(pid: number): number | undefined {
  try {
    const processes = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(statOf)
      .filter((stat) => stat !== undefined);
    const below = Map.groupBy(processes, ({ parent }) => parent);
    const sum = (id: number): number =>
      (below.get(id) ?? []).reduce((ticks, one) => ticks + one.ticks + sum(one.id), 0);
    const own = processes.find(({ id }) => id === pid);
    return own && (own.ticks + sum(pid)) / TICKS_A_SECOND;
  } catch {
    return undefined;
  }
}

/** proc_pid_stat(5): the name in parentheses may hold anything; utime, stime and those of ended children follow. */
function statOf(name: string): { id: number; parent: number; ticks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
    return { id: Number(name), parent: Number(fields[1]), ticks };
  } catch {
    return undefined; // it has ended meanwhile
  }
}
