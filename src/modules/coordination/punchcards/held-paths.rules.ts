import { hasWildcards, isPartOf, type Resource } from './resources.rules.js';

/** Finds what holds a file among many punchcards, without comparing it with those of other paths. */
export class HeldPaths<T extends { resource: Resource }> {
  private readonly byPath = new Map<string, T[]>();
  private readonly patterns: T[] = [];

  constructor(held: readonly T[]) {
    for (const one of held) {
      if (hasWildcards(one.resource)) this.patterns.push(one);
      else this.add(one);
    }
  }

  /** @param file without wildcards */
  find(file: Resource): T[] {
    const { names } = file;
    const above = [...names.keys(), names.length].map((depth) => names.slice(0, depth).join('/'));
    const near = above.flatMap((path) => this.byPath.get(path) ?? []);
    // Those near may be of another repository.
    return [...near, ...this.patterns].filter(({ resource }) => isPartOf(file, resource));
  }

  private add(one: T): void {
    const path = one.resource.names.join('/');
    const others = this.byPath.get(path);
    if (others) others.push(one);
    else this.byPath.set(path, [one]);
  }
}
