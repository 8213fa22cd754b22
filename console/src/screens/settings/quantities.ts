const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes as people read them: `19.1 MiB`. */
export function sizeOf(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 2 ** (10 * step);
  return `${step === 0 ? amount : amount.toFixed(1)} ${UNITS[step]}`;
}

/** Seconds as people read them: `1 h 36 min`. */
export function durationOf(seconds: number): string {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${minutes} min`;
  return minutes ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.floor(seconds)} s`;
}

/** How often a job runs: `every 400 ms`. */
export const intervalOf = (ms: number): string => (ms < 1_000 ? `${ms} ms` : durationOf(ms / 1_000));
