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

/** Characters of a question that GET /v1/facts takes. */
const MAX_OF_QUERY = 4096;
/** And of its encoded form: the head of a request has 16 KiB. */
const MAX_ENCODED = 8192;

/** As much of a question, from its beginning, as the address of GET /v1/facts holds. */
export function asAddressHolds(query: string): string {
  let text = query.slice(0, MAX_OF_QUERY).toWellFormed();
  for (let { length } = encodeURIComponent(text); length > MAX_ENCODED; { length } = encodeURIComponent(text))
    text = text.slice(0, (text.length * MAX_ENCODED) / length).toWellFormed();
  return text;
}
