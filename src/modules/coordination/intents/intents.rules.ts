import { invalidMembers, type Issue } from '../../../common/problem/common-problems.js';
import { doOverlap, hasWildcards, MAX_RESOURCE, readResource, type Resource } from '../punchcards/resources.types.js';

/** Characters of all paths with wildcards together: what compares them takes time by the square of it. */
const MAX_WILDCARDS = 1024;

type OverlapKind = 'path' | 'deploy_target' | 'milestone';

/** What is compared of an intent. */
export interface Intended {
  readonly execplanSlug: string | null;
  readonly milestone: string | null;
  readonly deployTarget: string | null;
  readonly paths: readonly Resource[];
}

export interface Meeting {
  kind: OverlapKind;
  mine: string;
  theirs: string;
}

/** @throws ValidationFailed naming each path that is none, or all of them where they take too long to compare */
export function readPaths(given: readonly string[]): Resource[] {
  const read = given.map(readResource);
  const issues = read.flatMap((resource, index): Issue[] => issueOf(resource, `body.paths[${index}]`));
  if (issues.length > 0) throw invalidMembers(issues);
  const paths = read as Resource[];
  const length = paths.filter(hasWildcards).reduce((sum, { text }) => sum + text.length, 0);
  if (length <= MAX_WILDCARDS) return unique(paths);
  const message = `those with wildcards may have ${MAX_WILDCARDS} characters together; name folders, which stand for all below them`;
  throw invalidMembers([{ path: 'body.paths', message }]);
}

/** Where two intents meet: equal names whatever their case, paths of which one is, holds or matches the other. */
export function meetingsOf(mine: Intended, theirs: Intended): Meeting[] {
  const paths = mine.paths.flatMap((own) =>
    theirs.paths
      .filter((other) => doOverlap(own, other))
      .map((other): Meeting => ({ kind: 'path', mine: own.text, theirs: other.text })),
  );
  return [
    ...paths,
    ...namesMeet('deploy_target', mine.deployTarget, theirs.deployTarget),
    ...(ofOnePlan(mine, theirs) ? namesMeet('milestone', mine.milestone, theirs.milestone) : []),
  ];
}

/**
 * Whether what a session has announced is the caller's to replace or clear: its own, by its credential or the passport
 * of that; an operator's always. The name in a body proves nothing (0397).
 */
export const mayReplace = (
  { announcedBy, byPassport }: { announcedBy: string; byPassport: string | null },
  { isAdmin, passport, principal }: { isAdmin: boolean; passport: string | undefined; principal: string },
): boolean => isAdmin || announcedBy === principal || (passport !== undefined && byPassport === passport);

/** How long it takes to compare the paths of two intents, in units of some microseconds. */
export function costOf(mine: Intended, theirs: Intended): number {
  const weight = ({ paths }: Intended): number =>
    paths.filter(hasWildcards).reduce((sum, { text }) => sum + text.length, 0);
  return mine.paths.length * theirs.paths.length + (weight(mine) * weight(theirs)) / 100;
}

const issueOf = (resource: Resource | string, path: string): Issue[] => {
  if (typeof resource === 'string') return [{ path, message: resource }];
  return resource.text.length > MAX_RESOURCE ? [{ path, message: `must have at most ${MAX_RESOURCE} characters` }] : [];
};

const unique = (paths: Resource[]): Resource[] => [...new Map(paths.map((path) => [path.text, path])).values()];

/** A milestone without a plan may be that of any. */
const ofOnePlan = ({ execplanSlug: a }: Intended, { execplanSlug: b }: Intended): boolean =>
  a === null || b === null || a === b;

const namesMeet = (kind: OverlapKind, mine: string | null, theirs: string | null): Meeting[] =>
  mine !== null && theirs !== null && mine.trim().toLowerCase() === theirs.trim().toLowerCase()
    ? [{ kind, mine, theirs }]
    : [];
