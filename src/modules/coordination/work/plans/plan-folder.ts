import type { Stats } from 'node:fs';
import { lstat, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { faultOf, readTextBelow } from '../../../../common/config/text-below.js';
import { PLAN_LIMITS, readPlan, type PlanItem } from './plans.rules.js';

/** A plan file as it was read. */
export interface PlanFile {
  /** Below the root, with slashes. */
  path: string;
  items: PlanItem[];
  createdAt: Date;
  changedAt: Date;
}

export interface PlanFault {
  path: string;
  problem: string;
}

export interface PlanTree {
  files: PlanFile[];
  faults: PlanFault[];
}

interface Known {
  stamp: string;
  read: PlanFile | PlanFault;
}

interface Walk {
  files: { path: string; stats: Stats }[];
  faults: PlanFault[];
  entries: number;
}

const IS_PLAN = /\.(md|markdown)$/i;

/**
 * The plan files below a folder. Each look finds out which files there are and which have changed; those alone are
 * read again. Links, of files or of folders, are not followed.
 */
export class PlanFolder {
  private known = new Map<string, Known>();
  private running: Promise<PlanTree> | undefined;
  private waiting: Promise<PlanTree> | undefined;

  constructor(private readonly root: string) {}

  /** As the files are after the call: who calls while another looks waits for the look after that one. */
  read(): Promise<PlanTree> {
    if (!this.running) return this.start();
    this.waiting ??= this.running.then(
      () => this.start(),
      () => this.start(),
    );
    return this.waiting;
  }

  private start(): Promise<PlanTree> {
    this.waiting = undefined;
    const running = this.look().finally(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }

  private async look(): Promise<PlanTree> {
    const walk: Walk = { files: [], faults: [], entries: 0 };
    let root: string;
    try {
      root = await realpath(this.root);
      await this.enter(root, '', 0, walk);
    } catch (error) {
      return { files: [], faults: [{ path: '.', problem: `the root cannot be read: ${faultOf(error)}` }] };
    }
    const known = new Map<string, Known>();
    for (const { path, stats } of walk.files.sort((a, b) => (a.path < b.path ? -1 : 1)))
      known.set(path, await this.readFile(root, path, stats));
    this.known = known;
    const reads = [...known.values()].map(({ read }) => read);
    return {
      files: reads.filter((read) => 'items' in read),
      faults: [...walk.faults, ...reads.filter((read) => 'problem' in read)],
    };
  }

  private async enter(root: string, folder: string, depth: number, walk: Walk): Promise<void> {
    const names: string[] = [];
    for await (const { name } of await opendir(join(root, folder))) {
      walk.entries += 1;
      if (walk.entries > PLAN_LIMITS.entries) {
        if (walk.entries === PLAN_LIMITS.entries + 1) walk.faults.push(tooMany(folder));
        break;
      }
      if (!name.startsWith('.')) names.push(name);
    }
    for (const name of names.sort()) await this.visit(root, folder === '' ? name : `${folder}/${name}`, depth, walk);
  }

  private async visit(root: string, path: string, depth: number, walk: Walk): Promise<void> {
    try {
      const stats = await lstat(join(root, path));
      const isPlan = IS_PLAN.test(path);
      if (stats.isSymbolicLink()) walk.faults.push({ path, problem: 'is a link, and links are not followed' });
      else if (stats.isDirectory() && depth >= PLAN_LIMITS.depth)
        walk.faults.push({ path, problem: `is more than ${PLAN_LIMITS.depth} folders deep` });
      else if (stats.isDirectory()) await this.enter(root, path, depth + 1, walk);
      else if (isPlan && !stats.isFile()) walk.faults.push({ path, problem: 'is no file' });
      else if (isPlan && walk.files.length >= PLAN_LIMITS.files)
        walk.faults.push({ path, problem: `is one more than ${PLAN_LIMITS.files} files` });
      else if (isPlan) walk.files.push({ path, stats });
    } catch (error) {
      // Gone meanwhile, or not ours to read.
      if (!isGone(error)) walk.faults.push({ path, problem: `cannot be read: ${faultOf(error)}` });
    }
  }

  private async readFile(root: string, path: string, stats: Stats): Promise<Known> {
    const stamp = [stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino].join();
    const known = this.known.get(path);
    if (known?.stamp === stamp) return known;
    try {
      const items = readPlan(path, await readTextBelow(root, path, PLAN_LIMITS.bytes));
      return { stamp, read: { path, items, createdAt: stats.birthtime, changedAt: stats.mtime } };
    } catch (error) {
      return { stamp, read: { path, problem: faultOf(error) } };
    }
  }
}

const tooMany = (path: string): PlanFault => ({
  path: path || '.',
  problem: `has more than ${PLAN_LIMITS.entries} entries with what was seen before; the rest is left out`,
});

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
