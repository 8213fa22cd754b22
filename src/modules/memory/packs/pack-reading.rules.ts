import { invalid } from '../../../common/problem/common-problems.js';
import { isReservedEntity } from '../facts/facts.service.js';
import { isRecord } from '../../../evidence/canonical-json.js';
import type { PackCandidate } from './pack-proposals.dto.js';
import type { PackFact, PackSession, PackStep } from './pack-entries.dto.js';
import { PrincipalNotYours } from './packs.problems.js';

/** Refuses the second entry of a name. @throws ValidationFailed */
export class Names {
  private readonly seen = new Map<string, string>();

  take(name: readonly (string | number)[], path: string): void {
    const key = JSON.stringify(name);
    const first = this.seen.get(key);
    if (first !== undefined) throw invalid(path, `is there twice: ${first} has the same name; leave one of them out`);
    this.seen.set(key, path);
  }
}

/** Whose the private content of a pack becomes here. */
export class Principals {
  private readonly named: Set<string>;

  /** @throws ValidationFailed for a map of anything but names, and for a principal that stands twice in the pack */
  constructor(
    private readonly by: { principal: string; isAdmin: boolean },
    private readonly map: Readonly<Record<string, unknown>>,
    principals: readonly string[],
  ) {
    for (const [from, to] of Object.entries(map))
      if (typeof to !== 'string' || to === '' || to.length > 200)
        throw invalid(`body.principal_map.${from.slice(0, 100)}`, 'must be a principal: text of 1 to 200 characters');
    this.named = new Set(principals);
    for (const [index, principal] of principals.entries())
      if (principals.indexOf(principal) !== index) throw invalid(`body.pack.principals[${index}]`, 'is there twice');
  }

  /**
   * @param path the member that names the principal
   * @throws ValidationFailed for one that the pack does not list, PrincipalNotYours for one that the caller may not
   * write for
   */
  ownerOf(principal: string, path: string): string {
    if (!this.named.has(principal) && principal !== this.by.principal)
      throw invalid(path, 'must be one of body.pack.principals');
    const mapped = this.nameOf(principal);
    if (mapped === this.by.principal || this.by.isAdmin) return mapped;
    throw new PrincipalNotYours(
      { member: path, principal: mapped },
      `${path} is private to ${mapped}. Map it to yourself in principal_map ({"${principal}": "${this.by.principal}"}), or import with an admin scope`,
    );
  }

  /** Who says something: nobody gains a right by it. */
  nameOf(principal: string): string {
    return Object.hasOwn(this.map, principal) ? (this.map[principal] as string) : principal;
  }
}

/** @throws ValidationFailed */
export function checkFact(fact: PackFact, path: string): void {
  if (isReservedEntity(fact.entity))
    throw invalid(
      `${path}.entity`,
      'begins with a reserved prefix (__, svc:, layer:, storybook:, dossier:), which a pack may not write; leave it out',
    );
  if (fact.owner !== undefined && !fact.private)
    throw invalid(`${path}.owner`, 'is for a private fact; leave it out, or say "private": true');
}

const EVIDENCE: Record<string, string> = {
  ...{ source_kind: 'string', source_id: 'string', start: 'number', end: 'number', quote: 'string' },
  quote_blake3: 'string',
};

/** @throws ValidationFailed */
export function checkCandidate({ entity, extractor, evidence }: PackCandidate, path: string): void {
  if (isReservedEntity(entity))
    throw invalid(`${path}.entity`, 'begins with a reserved prefix, which a pack may not write');
  if (
    extractor !== undefined &&
    !(
      isRecord(extractor) &&
      ['name', 'version'].every((one) => typeof (extractor as Record<string, unknown>)[one] === 'string')
    )
  )
    throw invalid(`${path}.extractor`, 'must be an object with the texts name and version');
  const quotes: unknown = evidence ?? [];
  if (!Array.isArray(quotes) || quotes.length > 100)
    throw invalid(`${path}.evidence`, 'must be a list of at most 100 quotes');
  for (const [index, quote] of (quotes as unknown[]).entries())
    if (!isRecord(quote) || Object.entries(EVIDENCE).some(([name, type]) => typeof quote[name] !== type))
      throw invalid(`${path}.evidence[${index}]`, `must be an object with ${Object.keys(EVIDENCE).join(', ')}`);
}

/** Which entity and key has several versions in a pack: they need their times, so that a second import knows them. */
export class Versions {
  private readonly undated = new Map<string, string>();
  private readonly seen = new Set<string>();

  /** @throws ValidationFailed */
  take(name: readonly string[], path: string, isDated: boolean): void {
    const key = JSON.stringify(name);
    const first = this.undated.get(key) ?? (isDated || !this.seen.has(key) ? undefined : path);
    if (first !== undefined)
      throw invalid(`${first}.valid_from`, 'is required: the pack has several values of this entity and key');
    this.seen.add(key);
    if (!isDated) this.undated.set(key, path);
  }
}

/** @throws ValidationFailed */
export function checkSteps({ steps = [] }: Omit<PackSession, 'steps'> & { steps?: PackStep[] }, path: string): void {
  const depths = new Map<string, number>();
  for (const [index, { node_id, parent_id, status, ts_end }] of steps.entries()) {
    const at = `${path}.steps[${index}]`;
    if (depths.has(node_id)) throw invalid(`${at}.node_id`, 'is the id of a step before it too');
    if (parent_id !== null && !depths.has(parent_id))
      throw invalid(`${at}.parent_id`, 'must be the node_id of a step before it, or null');
    const depth = parent_id === null ? 0 : depths.get(parent_id)! + 1;
    if (depth > 63) throw invalid(`${at}.parent_id`, 'is more than 63 steps below a root');
    if ((status === 'open') !== (ts_end === null))
      throw invalid(`${at}.ts_end`, 'must be null exactly while the step is open');
    depths.set(node_id, depth);
  }
}

/**
 * Calls `visit` with each text in a JSON value, and its path, and puts what it answers in its place.
 * @param path of the value itself: names, and places in lists
 */
export function mapTexts(
  value: unknown,
  visit: (text: string, path: readonly (string | number)[]) => string,
  path: readonly (string | number)[] = [],
): unknown {
  if (typeof value === 'string') return visit(value, path);
  if (Array.isArray(value)) return value.map((item, place) => mapTexts(item, visit, [...path, place]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapTexts(member, visit, [...path, name])]),
  );
}

/** Free JSON: the names in it are content, so a path ends there. */
const FREE = ['payload', 'value'];

/** The path of a member as problems write it. */
export function memberOf(path: readonly (string | number)[]): string {
  const free = path.findIndex((name) => FREE.includes(String(name)));
  const shown = free < 0 ? path : path.slice(0, free + 1);
  return shown
    .map((name) => (typeof name === 'number' ? `[${name}]` : `.${name}`))
    .join('')
    .slice(1);
}

/** Checks labels of the versions of an engram: each points at one. @throws ValidationFailed */
export function checkLabels(versions: readonly { labels: readonly string[]; path: string }[]): void {
  const seen = new Map<string, string>();
  for (const { labels, path } of versions)
    for (const [place, label] of labels.entries()) {
      const at = `${path}.labels[${place}]`;
      if (label === 'latest') throw invalid(at, 'must not be latest: that is always the newest version');
      if (!/^[a-z][a-z0-9._-]{0,62}$/.test(label))
        throw invalid(at, 'is no label: expected a to z, 0 to 9, and . _ - after the first, 63 at most');
      const first = seen.get(label);
      if (first !== undefined) throw invalid(at, `is at ${first} too; a label points at one version`);
      seen.set(label, at);
    }
}
