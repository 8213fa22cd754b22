/** What a JSON text would come to, were it parsed. */
export interface JsonShape {
  /** How deep it is nested. */
  depth: number;
  /** At least how many values it holds. */
  values: number;
  /** How many members all of its objects have together. */
  members: number;
  /** How many members its largest object has. */
  widest: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Looks at the bytes of a JSON text without making anything of it: what JSON.parse would take seconds or gigabytes for
 * is found out in milliseconds. Of a text that is not JSON the figures say nothing.
 * @param most where one of these is passed the rest is not looked at
 */
export function shapeOf(bytes: Uint8Array, most: JsonShape): JsonShape {
  const shape = { depth: 0, values: 1, members: 0, widest: 0 };
  /** Members of the objects that are open, by depth. */
  const open = [0];
  let depth = 0;
  for (let at = 0; at < bytes.length && isWithin(shape, most); at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) shape.values += 1;
    else if (byte === COLON) {
      shape.members += 1;
      shape.widest = Math.max(shape.widest, ++open[depth]!);
    } else if (isOpening(byte)) {
      depth += 1;
      open[depth] = 0;
      shape.values += 1;
      shape.depth = Math.max(shape.depth, depth);
    } else if (isClosing(byte) && depth > 0) depth -= 1;
  }
  return shape;
}

/**
 * The texts of whole numbers that are members of a JSON object itself, by name: what JSON.parse makes of them past 2^53
 * has lost digits. Of duplicate members the last one counts.
 * @param bytes of a text that is JSON
 */
export function integersIn(bytes: Uint8Array, names: readonly string[]): Map<string, string> {
  return new Map([...membersIn(bytes, names)].map(({ name, end }) => [name, integerAfter(bytes, end)]));
}

/** Where text of a JSON object's own members is, between its quotes. */
export function* stringsIn(
  bytes: Uint8Array,
  names: readonly string[],
): Generator<{ name: string; from: number; to: number }> {
  for (const { name, end } of membersIn(bytes, names)) {
    const start = skipBlanks(bytes, skipBlanks(bytes, end) + 1);
    if (bytes[start] === QUOTE) yield { name, from: start + 1, to: Math.min(endOfString(bytes, start), bytes.length) };
  }
}

/** The members of these names of a JSON object itself, in their order. `end`: after the name and its quote. */
function* membersIn(bytes: Uint8Array, names: readonly string[]): Generator<{ name: string; end: number }> {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (isOpening(byte)) depth += 1;
    else if (isClosing(byte)) depth -= 1;
    else if (byte === QUOTE) {
      const end = endOfString(bytes, at) + 1;
      const isName = depth === 1 && bytes[skipBlanks(bytes, end)] === COLON;
      const name = isName ? nameIn(bytes, at, end) : undefined;
      if (name !== undefined && names.includes(name)) yield { name, end };
      at = end - 1;
    }
  }
}

/** undefined for what is no JSON string. */
function nameIn(bytes: Uint8Array, from: number, to: number): string | undefined {
  try {
    return JSON.parse(textOf(bytes, from, to)) as string;
  } catch {
    return undefined;
  }
}

/** The whole number of the member whose name ends at `from`; empty for another value. */
function integerAfter(bytes: Uint8Array, from: number): string {
  return /^\s*:\s*(\d+)\s*[,}]/.exec(textOf(bytes, from, from + MAX_INTEGER_DIGITS))?.[1] ?? '';
}
/** White space may stand around it. */
const MAX_INTEGER_DIGITS = 256;

const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.subarray(from, to)).toString('utf8');

/** Where the next byte is that is no white space. */
function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || (bytes[at]! >= 0x09 && bytes[at]! <= 0x0d)) at += 1;
  return at;
}

const isWithin = (shape: JsonShape, most: JsonShape): boolean =>
  shape.members <= most.members &&
  shape.widest <= most.widest &&
  shape.values <= most.values &&
  shape.depth <= most.depth;

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** `[` is 0x5b and `{` 0x7b, `]` is 0x5d and `}` 0x7d: they differ in one bit. */
const isOpening = (byte: number): boolean => (byte & 0xdf) === 0x5b;
const isClosing = (byte: number): boolean => (byte & 0xdf) === 0x5d;
