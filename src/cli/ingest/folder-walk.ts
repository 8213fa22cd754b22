import { statSync } from 'node:fs';
import type { LeftOutReason } from '../../modules/projects/workspace-scan/workspace-scan.types.js';
import { WorkspaceWalk } from '../../modules/projects/workspace-scan/workspace-walk.js';
import { UserError } from '../output.js';
import type { LeftOut } from './sources.types.js';

export interface FolderFile {
  /** Below the root, with slashes. */
  path: string;
  bytes: number;
}

const REASONS: Partial<Record<LeftOutReason, string>> = {
  ignored: 'ignored by .gitignore',
  symbolic_link: 'a symbolic link',
  no_file: 'no regular file',
  unreadable: 'cannot be read',
  name_unusable: 'a name that cannot be stored',
  too_deep: 'too deep below the folder',
  too_many_files: 'more files than are taken of one folder',
};

/** What is left out by a rule, and not because something is the matter with it. */
const RULES: ReadonlySet<LeftOutReason> = new Set(['ignored', 'symbolic_link', 'no_file']);

/**
 * The files of a folder and of the folders in it, by name, as git sees them: less what .gitignore files name, what is
 * hidden, and installed packages. No link is followed.
 * @throws UserError when there is no such folder
 */
export async function walkFolder(root: string): Promise<{ files: FolderFile[]; leftOut: LeftOut[] }> {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) throw new UserError(`There is no folder ${root}`);
  const leftOut: LeftOut[] = [];
  const passes = (path: string, isFolder: boolean): boolean => {
    const reason = passedOver(path.slice(path.lastIndexOf('/') + 1), isFolder);
    if (reason !== undefined) leftOut.push({ name: isFolder ? `${path}/` : path, reason, byRule: true });
    return reason === undefined;
  };
  const add = (reason: LeftOutReason, path: string): void =>
    void leftOut.push({
      name: path,
      reason: REASONS[reason] ?? reason,
      ...(RULES.has(reason) ? { byRule: true as const } : {}),
    });
  const { files } = await new WorkspaceWalk(root, { add }, undefined, passes).find();
  return { files, leftOut: leftOut.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** Why an entry is not looked at, by its name alone. */
export function passedOver(name: string, isFolder: boolean): string | undefined {
  if (name.startsWith('.')) return 'hidden';
  return isFolder && name === 'node_modules' ? 'installed packages' : undefined;
}
