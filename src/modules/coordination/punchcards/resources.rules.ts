/** Any number of names between slashes (`**`), or of characters in a name (`*`). */
const ANY = Symbol('any number');
/** One character (`?`). */
const ONE = Symbol('any one');
type Character = string | typeof ONE | typeof ANY;

/** A name between slashes: one that stands for itself, or one with wildcards. */
type Name = string | typeof ANY | readonly Character[];

/** A file, a folder or a set of them below the root of a repository, and all that is below those. */
export interface Resource {
  /** As it is stored and shown. */
  readonly text: string;
  /** `owner/repo` in lower case; undefined: of whatever repository. */
  readonly repo: string | undefined;
  /** From the root; none: the root itself. */
  readonly names: readonly Name[];
}

/** Most characters of a resource, and of one with wildcards, which take time to compare. */
export const MAX_RESOURCE = 1024;
export const MAX_PATTERN = 256;
/** Most characters of a path that Linux knows. */
export const MAX_PATH = 4096;

const REPO = /^([\w.-]+\/[\w.-]+):/;
const BRACES = /\{[^{}]*,[^{}]*\}/;
const DRIVE = /^[a-z]:\//i;
const WILDCARD = /[*?]/;
const FROM_ROOT = 'must be a path from the root of the repository: leave out the leading "/" or the drive';

/**
 * Reads `[owner/repo:]path`. Wildcards are `*`, `?` and `**`; brackets are part of a name, as in `app/[id]/page.tsx`.
 * @returns what is wrong with it, as text that goes on with the member's name
 */
export function readResource(given: string): Resource | string {
  const text = withSlashes(given);
  if (text.split(/[/:]/).includes('..'))
    return 'must not have ".." in it: name the path from the root of the repository';
  const [prefix = '', repo] = REPO.exec(text) ?? [];
  const path = text.slice(prefix.length);
  const fault = faultOf(path);
  if (fault !== undefined) return fault;
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return resourceOf(repo, mergeStars(names), nameOf);
}

/** A path as git names it: each character stands for itself. @param repo `owner/repo` */
export const literalPath = (repo: string | undefined, path: string): Resource =>
  resourceOf(
    repo,
    withSlashes(path)
      .split('/')
      .filter((name) => name !== ''),
    (name) => name,
  );

/** What was stored: it was read once, so that it can be read. */
export const storedResource = (text: string): Resource => {
  const resource = readResource(text);
  if (typeof resource === 'string') throw new Error(`${text} ${resource}`);
  return resource;
};

export const hasWildcards = ({ names }: Resource): boolean => names.some((name) => typeof name !== 'string');

/**
 * Whether some path is part of both: a resource stands for all paths that it matches and for everything below them.
 * Exact for whatever two resources, so that what is held is never reported as free.
 */
export function doOverlap(a: Resource, b: Resource): boolean {
  if (a.repo !== undefined && b.repo !== undefined && a.repo !== b.repo) return false;
  // Once the names of one are used up, the rest of the other is below it.
  return doMeet(a.names, b.names, (i, j) => i === a.names.length || j === b.names.length, doNamesMeet);
}

/** Whether a file is part of a resource. @param file of {@link literalPath}: nothing is below it */
export function isPartOf(file: Resource, { repo, names }: Resource): boolean {
  if (repo !== undefined && file.repo !== undefined && repo !== file.repo) return false;
  return doMeet(names, file.names, (i) => i === names.length, doNamesMeet);
}

const withSlashes = (text: string): string => text.normalize('NFC').replaceAll('\\', '/');

function faultOf(path: string): string | undefined {
  if (path.startsWith('/') || DRIVE.test(path)) return FROM_ROOT;
  if (BRACES.test(path)) return 'must not have {a,b} in it, which is not expanded: take a punchcard for each';
  if (path.length > MAX_PATTERN && WILDCARD.test(path))
    return `must not be longer than ${MAX_PATTERN} characters where it has wildcards`;
  return undefined;
}

function resourceOf(repo: string | undefined, names: readonly string[], read: (name: string) => Name): Resource {
  const path = names.length === 0 ? '.' : names.join('/');
  const owner = repo?.toLowerCase();
  return { text: textOf(owner, path), repo: owner, names: names.map(read) };
}

/** A path that begins as if it named a repository keeps a `./`. */
const textOf = (repo: string | undefined, path: string): string => {
  if (repo !== undefined) return `${repo}:${path}`;
  return REPO.test(path) ? `./${path}` : path;
};

/** Writes stars that say the same in one way. */
const mergeStars = (names: readonly string[]): string[] =>
  names
    .map((name) => (/^\*{2,}$/.test(name) ? '**' : name.replace(/\*+/g, '*')))
    .filter((name, index, all) => name !== '**' || all[index - 1] !== '**');

const nameOf = (name: string): Name => {
  if (name === '**') return ANY;
  return WILDCARD.test(name) ? [...name].map(characterOf) : name;
};

const characterOf = (character: string): Character => {
  if (character === '*') return ANY;
  return character === '?' ? ONE : character;
};

const doNamesMeet = (a: Name, b: Name): boolean => {
  if (typeof a === 'string' && typeof b === 'string') return a === b;
  const [left, right] = [charactersOf(a), charactersOf(b)];
  return doMeet(left, right, (i, j) => i === left.length && j === right.length, doCharactersMeet);
};

const charactersOf = (name: Name): readonly Character[] => (typeof name === 'symbol' ? [name] : [...name]);

const doCharactersMeet = (a: Character, b: Character): boolean => a === b || a === ONE || b === ONE;

/**
 * Whether two sequences, in which ANY stands for any number of members, have one in common: walks through all pairs of
 * positions that can be reached together.
 */
function doMeet<T>(
  a: readonly (T | typeof ANY)[],
  b: readonly (T | typeof ANY)[],
  isEnd: (i: number, j: number) => boolean,
  isSame: (a: T, b: T) => boolean,
): boolean {
  const seen = new Set<number>();
  const open: [number, number][] = [[0, 0]];
  for (let at = open.pop(); at; at = open.pop()) {
    const [i, j] = at;
    if (isEnd(i, j)) return true;
    const place = i * (b.length + 1) + j;
    if (seen.has(place)) continue;
    seen.add(place);
    open.push(...stepsFrom(a, b, at, isSame));
  }
  return false;
}

function stepsFrom<T>(
  a: readonly (T | typeof ANY)[],
  b: readonly (T | typeof ANY)[],
  [i, j]: [number, number],
  isSame: (a: T, b: T) => boolean,
): [number, number][] {
  const steps: [number, number][] = [];
  const [left, right] = [a[i], b[j]];
  if (left === ANY || right === ANY) {
    // ANY either ends here, or takes what the other has next.
    if (i < a.length) steps.push([i + 1, j]);
    if (j < b.length) steps.push([i, j + 1]);
  } else if (i < a.length && j < b.length && isSame(left as T, right as T)) steps.push([i + 1, j + 1]);
  return steps;
}
