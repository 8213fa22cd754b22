/** Both lists in turn, each in its own order: their scores are of different scales. */
export function interleave<T>(first: readonly T[], second: readonly T[]): T[] {
  const longest = Math.max(first.length, second.length);
  return Array.from({ length: longest }, (_, at) => [first.slice(at, at + 1), second.slice(at, at + 1)]).flat(2);
}

/** The texts whose condition holds. */
export const linesOf = (texts: Record<string, boolean>): string[] => {
  const lines = Object.keys(texts).filter((text) => texts[text]);
  return lines.length > 0 ? ['', ...lines] : [];
};
