import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextBelow } from '../../../common/config/text-below.js';
import { IgnoreRules } from './ignore-rules.js';
import { isUsablePath, SCAN_LIMITS } from './workspace-scan.rules.js';
import type { FoundFile, LeftOutReason } from './workspace-scan.types.js';

const MAX_IGNORE_BYTES = 1024 * 1024;
/** Entries of a folder that are looked at together. */
const AT_ONCE = 32;

/** What is found of a workspace, by path. */
export interface FoundWorkspace {
  /** The folder itself, whatever links lead to it. */
  root: string;
  files: FoundFile[];
}

interface Folder {
  path: string;
  depth: number;
  rules: IgnoreRules;
}

/**
 * Looks through a folder as git sees it, without git: what .gitignore files and .git/info/exclude name is left out, and
 * no link is followed.
 */
export class WorkspaceWalk {
  private readonly files: FoundFile[] = [];
  private readonly folders: Folder[] = [];
  private root = '';
  /** Files that are taken, also those of which the size is still looked up. */
  private taken = 0;

  /** @param passes whether an entry is looked at; what it refuses it counts itself */
  constructor(
    private readonly folder: string,
    private readonly leftOut: { add(reason: LeftOutReason, path: string): void },
    private readonly limits: { files: number; depth: number } = SCAN_LIMITS,
    private readonly passes: (path: string, isFolder: boolean) => boolean = () => true,
  ) {}

  /** @throws Error where the folder cannot be read */
  async find(): Promise<FoundWorkspace> {
    this.root = await realpath(this.folder);
    await readdir(this.root);
    const rules = await this.addRules(IgnoreRules.none, '', '.git/info/exclude');
    this.folders.push({ path: '', depth: 0, rules });
    for (let next = this.folders.pop(); next; next = this.folders.pop()) await this.enter(next);
    const files = this.files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { root: this.root, files };
  }

  private async enter({ path, depth, rules }: Folder): Promise<void> {
    if (depth > this.limits.depth) return this.leftOut.add('too_deep', path);
    let entries: Dirent[];
    try {
      entries = await readdir(join(this.root, path), { withFileTypes: true });
    } catch {
      return this.leftOut.add('unreadable', path || '.');
    }
    const hasRules = entries.some((entry) => entry.name === '.gitignore' && entry.isFile());
    const own = hasRules ? await this.addRules(rules, path, path === '' ? '.gitignore' : `${path}/.gitignore`) : rules;
    const named = entries.filter(({ name }) => name !== '.git').sort((a, b) => (a.name < b.name ? -1 : 1));
    for (let from = 0; from < named.length; from += AT_ONCE)
      await Promise.all(
        named
          .slice(from, from + AT_ONCE)
          .map((entry) =>
            this.visit(entry, { path: path === '' ? entry.name : `${path}/${entry.name}`, depth, rules: own }),
          ),
      );
  }

  private async visit(entry: Dirent, { path, depth, rules }: Folder): Promise<void> {
    if (!isUsablePath(path)) return this.leftOut.add('name_unusable', path.toWellFormed());
    if (!this.passes(path, entry.isDirectory())) return;
    if (rules.isIgnored(path, entry.isDirectory())) return this.leftOut.add('ignored', path);
    if (entry.isSymbolicLink()) return this.leftOut.add('symbolic_link', path);
    if (entry.isDirectory()) return void this.folders.push({ path, depth: depth + 1, rules });
    if (!entry.isFile()) return this.leftOut.add('no_file', path);
    if (this.taken >= this.limits.files) return this.leftOut.add('too_many_files', path);
    this.taken += 1;
    try {
      const { size } = await lstat(join(this.root, path));
      this.files.push({ path, bytes: size });
    } catch {
      this.leftOut.add('unreadable', path);
    }
  }

  /** The rules with those of a file, where it can be read. */
  private async addRules(rules: IgnoreRules, folder: string, file: string): Promise<IgnoreRules> {
    try {
      return rules.with(folder, await readTextBelow(this.root, file, MAX_IGNORE_BYTES));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.leftOut.add('unreadable', file);
      return rules;
    }
  }
}
