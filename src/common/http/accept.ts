interface MediaRange {
  type: string;
  quality: number;
  /** 3: one type with a parameter; 2: one type; 1: all of a kind (`text/*`); 0: everything. */
  precision: number;
}

/**
 * The media type to answer with (RFC 9110 section 12.5.1): of those offered the one the client rates highest, the first
 * of equals. The most precise range that fits a type says how it is rated; of parameters other than q, that alone is
 * looked at which an offered type has. Without the header anything goes.
 * @param offered in the order in which the server prefers them: types, or a type with one parameter: `a/b; name=value`
 * @returns undefined when the client takes none of them
 */
export function preferredType<const T extends string>(
  accept: string | undefined,
  offered: readonly T[],
): T | undefined {
  if (accept === undefined || accept.trim() === '') return offered[0];
  const ranges = accept.split(',').map((text) => rangeOf(text, offered));
  const rated = offered.map((type) => ({ type, quality: qualityOf(type, ranges) }));
  const best = Math.max(...rated.map(({ quality }) => quality));
  return best > 0 ? rated.find(({ quality }) => quality === best)?.type : undefined;
}

function rangeOf(text: string, offered: readonly string[]): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.map((parameter) => /^q\s*=\s*(.*)$/.exec(parameter)?.[1]).find((value) => value !== undefined);
  const quality = q === undefined ? 1 : QUALITY.test(q) ? Number(q) : 0;
  const variant = parameters
    .map((parameter) => `${type}; ${parameter.replaceAll(/\s|"/g, '')}`)
    .find((name) => offered.includes(name));
  if (variant !== undefined) return { type: variant, quality, precision: 3 };
  return { type, quality, precision: type === '*/*' ? 0 : type.endsWith('/*') ? 1 : 2 };
}
const QUALITY = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

function qualityOf(type: string, ranges: MediaRange[]): number {
  const [whole = type] = type.split(';', 1);
  const names = [type, whole, `${type.split('/', 1)[0]}/*`, '*/*'];
  const fitting = ranges.filter((range) => names.includes(range.type));
  const precision = Math.max(-1, ...fitting.map((range) => range.precision));
  return Math.max(0, ...fitting.filter((range) => range.precision === precision).map((range) => range.quality));
}
