import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

const LISTENING = '0A';

/**
 * Who listens on a TCP port, as "process 123, node": by /proc (proc(5), /proc/net/tcp), so on Linux alone, and only a
 * process that this user may look into.
 */
export function findListener(port: number): string | undefined {
  const inodes = new Set(['tcp', 'tcp6'].flatMap((table) => inodesOf(table, port)));
  if (inodes.size === 0) return undefined;
  const pid = entriesOf('/proc').find(
    (name) => /^\d+$/.test(name) && entriesOf(`/proc/${name}/fd`).some((fd) => inodes.has(socketOf(name, fd))),
  );
  return pid && `process ${pid}, ${programOf(pid)}`;
}

function inodesOf(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return read(`/proc/net/${table}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(suffix) && state === LISTENING)
    .map((fields) => fields[9]!);
}

function socketOf(pid: string, fd: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** Its name alone: arguments can hold secrets. */
const programOf = (pid: string): string => basename(read(`/proc/${pid}/cmdline`).split('\0')[0] ?? '');

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
