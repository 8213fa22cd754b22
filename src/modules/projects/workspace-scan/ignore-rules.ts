import ignore, { type Ignore } from 'ignore';

/** The patterns of one .gitignore. */
interface Level {
  /** Where it stands: '' for the root, else with a slash at the end. */
  folder: string;
  patterns: Ignore;
}

/**
 * What git leaves out of a folder and what is below it (gitignore(5)): the patterns nearest to a path decide. As in
 * git, what is below a folder that is left out cannot be taken in again.
 */
export class IgnoreRules {
  private constructor(private readonly levels: readonly Level[]) {}

  static readonly none = new IgnoreRules([]);

  /** These rules and, before them, the patterns of a file in a folder below. */
  with(folder: string, text: string): IgnoreRules {
    const patterns = ignore({ ignorecase: false, allowRelativePaths: true }).add(text);
    return new IgnoreRules([{ folder: folder === '' ? '' : `${folder}/`, patterns }, ...this.levels]);
  }

  /** @param path below the root, with slashes; of a folder that is not left out itself */
  isIgnored(path: string, isFolder: boolean): boolean {
    for (const { folder, patterns } of this.levels) {
      const verdict = verdictOf(patterns, path.slice(folder.length), isFolder);
      if (verdict !== undefined) return verdict;
    }
    return false;
  }
}

/** @returns undefined where no pattern says anything */
function verdictOf(patterns: Ignore, path: string, isFolder: boolean): boolean | undefined {
  const { ignored, unignored } = patterns.test(isFolder ? `${path}/` : path);
  if (unignored) return false;
  if (!ignored) return undefined;
  // By its folder, which was entered all the same: patterns nearer to it had taken it in again.
  const end = path.lastIndexOf('/');
  return end >= 0 && patterns.test(path.slice(0, end + 1)).ignored ? undefined : true;
}
