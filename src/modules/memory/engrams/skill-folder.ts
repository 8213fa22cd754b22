import { lstat, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { faultOf, readTextBelow } from '../../../common/config/text-below.js';
import { ENGRAM_NAME, NAME_FORM } from './engram-payload.rules.js';
import type { Engram } from './engrams.types.js';
import { SKILL_LIMITS } from './skill-file.rules.js';

/** What keeps a file from being an engram. */
export interface SkillFault {
  path: string;
  problem: string;
}

interface Known {
  stamp: string;
  read: Engram | SkillFault;
}

/** Makes an engram of a file. @throws Error saying what is wrong with it */
export type MakeEngram = (name: string, text: string, changedAt: Date) => Promise<Engram>;

/**
 * The engrams below a folder, `<name>/SKILL.md`. Each look finds out which files have changed, and reads those alone.
 * Links are not followed.
 */
export class SkillFolder {
  private known = new Map<string, Known>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly make: MakeEngram,
  ) {}

  /** As the files are after the call; one look at a time. */
  read(): Promise<{ engrams: Engram[]; faults: SkillFault[] }> {
    const look = this.last.then(() => this.look());
    this.last = look;
    return look;
  }

  private async look(): Promise<{ engrams: Engram[]; faults: SkillFault[] }> {
    const known = new Map<string, Known>();
    try {
      const root = await realpath(this.folder);
      for (const name of await namesIn(root)) {
        const found = await this.visit(root, name);
        if (found) known.set(name, found);
      }
    } catch (error) {
      return { engrams: [], faults: [{ path: '.', problem: `cannot be read: ${faultOf(error)}` }] };
    }
    this.known = known;
    const reads = [...known.values()].map(({ read }) => read);
    return {
      engrams: reads.filter((read) => 'content' in read),
      faults: reads.filter((read) => 'problem' in read),
    };
  }

  /** @returns undefined for what is no folder with a SKILL.md */
  private async visit(root: string, name: string): Promise<Known | undefined> {
    const path = `${name}/SKILL.md`;
    let stamp = '';
    try {
      const folder = await lstat(join(root, name));
      if (folder.isSymbolicLink()) throw new Error('is a link, and links are not followed');
      if (!folder.isDirectory()) return undefined;
      const { mtime, mtimeMs, ctimeMs, size, ino } = await lstat(join(root, path));
      stamp = [mtimeMs, ctimeMs, size, ino].join();
      const known = this.known.get(name);
      if (known?.stamp === stamp) return known;
      if (!ENGRAM_NAME.test(name)) throw new Error(`has no name of an engram: expected ${NAME_FORM}`);
      if (size > SKILL_LIMITS.bytes) throw new Error(`has more than ${SKILL_LIMITS.bytes} bytes`);
      return { stamp, read: await this.make(name, await readTextBelow(root, path, SKILL_LIMITS.bytes), mtime) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      return { stamp, read: { path, problem: faultOf(error) } };
    }
  }
}

/** In their order, so that the same files are read wherever there are too many. */
async function namesIn(root: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(root)) if (!name.startsWith('.')) names.push(name);
  return names.sort().slice(0, SKILL_LIMITS.folders);
}
