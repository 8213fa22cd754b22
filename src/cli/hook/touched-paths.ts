import { git, tryGit } from './git-call.js';

/** A diff names what a rename took away and what it added, and a submodule by its folder. */
const DIFF = ['--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=none'];

/** The paths that the next commit changes. */
export const stagedPaths = (): string[] => split(git(['diff', '--cached', ...DIFF]));

/**
 * The paths that a push changes on the remote: those of each commit that is new there, and of each that a branch
 * loses.
 * @param updates what git gives to the hook: local ref, its object, remote ref, its object
 */
export function pushedPaths(remote: string | undefined, updates: string): string[] {
  const commits = updates.split('\n').flatMap((line) => {
    const [, local, , there] = line.split(' ');
    return local === undefined || there === undefined ? [] : changedCommits(remote, local, there);
  });
  if (commits.length === 0) return [];
  const listed = `${[...new Set(commits)].join('\n')}\n`;
  // Of a merge only what is in none of its parents so: what they brought is of their own commits.
  return split(git(['diff-tree', '--stdin', '-r', '-c', '--root', '--no-commit-id', ...DIFF], listed));
}

function changedCommits(remote: string | undefined, local: string, there: string): string[] {
  // Who deletes a branch changes no path; a tag may be of something else than a commit.
  const tip = commitOf(local);
  if (tip === undefined) return [];
  const known = commitOf(there);
  const elsewhere = remote === undefined ? [] : [`--remotes=${globFree(remote)}`];
  const added = listCommits([tip, '--not', ...(known === undefined ? [] : [known]), ...elsewhere]);
  const dropped = known === undefined ? [] : listCommits([known, '--not', tip]);
  return [...added, ...dropped];
}

/** Git takes a name with these signs for a pattern. */
const globFree = (remote: string): string => remote.replace(/[*?[\\]/g, '\\$&');

const commitOf = (object: string): string | undefined =>
  /^0+$/.test(object) ? undefined : tryGit(['rev-parse', '--verify', '--quiet', `${object}^{commit}`])?.trim();

const listCommits = (range: readonly string[]): string[] =>
  git(['rev-list', ...range])
    .split('\n')
    .filter((commit) => commit !== '');

const split = (output: string): string[] => [...new Set(output.split('\0').filter((path) => path !== ''))];
