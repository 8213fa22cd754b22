/** What differs between two texts. */
interface ChangedPart {
  before: string;
  now: string;
}

/** Stands for lines that are the same in both. */
const SAME = '[...]';

/**
 * The lines by which two texts differ, without those that both begin and end with: what is the same was read before.
 * Where nothing stands on one side, the line before it is kept, to show the place.
 */
export function changedPart(before: string, now: string): ChangedPart {
  const [old, fresh] = [linesOf(before), linesOf(now)];
  const shortest = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shortest && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const isOneSided = head + tail === shortest;
  if (isOneSided && head > 0) head--;
  else if (isOneSided && tail > 0) tail--;
  const part = (lines: string[]): string =>
    [...(head > 0 ? [SAME] : []), ...lines.slice(head, lines.length - tail), ...(tail > 0 ? [SAME] : [])].join('\n');
  return { before: part(old), now: part(fresh) };
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
