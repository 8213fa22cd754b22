import { LeftOutList } from './workspace-scan.rules.js';
import type { WalkedWorkspace } from './workspace-scan.types.js';
import { WorkspaceWalk } from './workspace-walk.js';

/** What a thread runs: one walk. What is wrong with the folder is a value, since errors lose their codes on the way. */
export default async function walk(folder: string): Promise<WalkedWorkspace> {
  const leftOut = new LeftOutList();
  try {
    const { root, files } = await new WorkspaceWalk(folder, leftOut).find();
    return { root, files, leftOut: leftOut.list() };
  } catch (error) {
    return { problem: (error as NodeJS.ErrnoException).code ?? 'unknown' };
  }
}
