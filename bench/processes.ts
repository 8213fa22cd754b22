import { readdirSync, readFileSync } from 'node:fs';

/** A process as proc_pid_stat(5) has it. */
export interface RunningProcess {
  id: number;
  parent: number;
  /** Processor time, in the ticks of Linux, with that of children that have ended. */
  ticks: number;
}

const KIB_A_MIB = 1024;

/** @throws Error where there is no /proc */
export const runningProcesses = (): RunningProcess[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat !== undefined);

/** The name in parentheses may hold anything; utime, stime and those of ended children follow. */
function statOf(name: string): RunningProcess | undefined {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
    return { id: Number(name), parent: Number(fields[1]), ticks };
  } catch {
    return undefined; // it has ended meanwhile
  }
}

/** The memory of a process, in MiB. */
export interface ProcessMemory {
  id: number;
  /** What it does: an app of svc, or a kind of process of PostgreSQL. */
  name: string;
  /** Its share of pages that several processes map: those of all processes add up to what is used. */
  pss: number;
  /** Pages that it maps, shared ones in full. */
  rss: number;
}

/**
 * Of a process and all below it, without those that end meanwhile.
 * @throws Error where there is no /proc, or it may not be read
 */
export function memoryBelow(pid: number): ProcessMemory[] {
  const below = Map.groupBy(runningProcesses(), ({ parent }) => parent);
  const ids = (id: number): number[] => [id, ...(below.get(id) ?? []).flatMap((child) => ids(child.id))];
  return ids(pid).flatMap((id) => memoryOf(id) ?? []);
}

function memoryOf(id: number): ProcessMemory | undefined {
  try {
    const rollup = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
    const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').filter(Boolean);
    const read = (field: string): number =>
      Number(new RegExp(`^${field}: +(\\d+) kB`, 'm').exec(rollup)?.[1]) / KIB_A_MIB;
    return { id, name: nameOf(command), pss: read('Pss'), rss: read('Rss') };
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** PostgreSQL writes into its command line what a process does: `postgres: svc_app svc 127.0.0.1(40000) idle`. */
export function nameOf(command: readonly string[]): string {
  const [program = '', ...args] = command;
  const [, login] = /^postgres: (\S+) .*(?:\(\d+\)|\[local\])/.exec(program) ?? [];
  if (login) return `postgres: ${login}`;
  if (program.startsWith('postgres: ')) return program.replace(/[\s\d]+$/, '');
  if (/(^|\/)postgres$/.test(program)) return 'postgres';
  const start = args.indexOf('start');
  return start < 0 ? (program.split('/').at(-1) ?? program) : (args[start + 1] ?? 'supervisor');
}
