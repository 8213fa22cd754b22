import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from '../config/settings.js';

/** Where the checkpoints are kept: SVC_CHECKPOINT_DIR, or `<data dir>/checkpoints`. */
export const placeOfCheckpoints = ({ evidence, process }: Settings): string =>
  evidence.checkpointDir ?? join(process.dataDir, 'checkpoints');

export const checkpointFolder = (settings: Settings): CheckpointFolder =>
  new CheckpointFolder(placeOfCheckpoints(settings));

/** A kept checkpoint: by its file, not by what stands in it. */
export interface KeptFile {
  readonly origin: string;
  readonly size: number;
  readonly path: string;
}

const NAME = /^(0|[1-9]\d{0,15})\.txt$/;
/** So many of the newest stay, and of those before one an hour for a day, then one a day. */
const NEWEST_KEPT = 16;
const MAX_KEPT = 64;
const HOUR_MS = 3_600_000;

/** Checkpoints in files `<origin>/<size>.txt`. They are public, so anyone may read them. */
export class CheckpointFolder {
  constructor(private readonly root: string) {}

  /** Of each origin the kept ones, the largest first. */
  list(): Map<string, KeptFile[]> {
    return new Map(namesIn(this.root).map((folder) => [decodeURIComponent(folder), this.filesOf(folder)] as const));
  }

  read({ path }: KeptFile): string {
    return readFileSync(path, 'utf8');
  }

  /** In one step, and on disk when it resolves. Removes what need not be kept any more. */
  async write(origin: string, size: number, checkpoint: string): Promise<void> {
    const path = join(this.root, folderOf(origin), `${size}.txt`);
    await mkdir(dirname(path), { recursive: true });
    const whole = `${path}.${randomUUID()}`;
    await writeFile(whole, checkpoint, { mode: 0o644, flag: 'wx', flush: true });
    await rename(whole, path);
    await syncFolder(dirname(path));
    // Another process may thin them out at the same time.
    const files = this.filesOf(folderOf(origin)).map((file) => ({
      ...file,
      at: statSync(file.path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }));
    for (const { path: old } of superfluous(files, Date.now())) await rm(old, { force: true });
  }

  private filesOf(folder: string): KeptFile[] {
    return namesIn(join(this.root, folder))
      .filter((name) => NAME.test(name))
      .map((name) => ({
        origin: decodeURIComponent(folder),
        size: Number(name.slice(0, -'.txt'.length)),
        path: join(this.root, folder, name),
      }))
      .sort((a, b) => b.size - a.size);
  }
}

/** @param files the largest first */
export function superfluous<T extends { readonly at: number }>(files: readonly T[], now: number): T[] {
  const seen = new Set<string>();
  const kept = files.filter(({ at }, n) => {
    const age = now - at;
    const span = age < 24 * HOUR_MS ? `hour ${Math.floor(at / HOUR_MS)}` : `day ${Math.floor(at / (24 * HOUR_MS))}`;
    const isFirst = !seen.has(span);
    seen.add(span);
    return n < NEWEST_KEPT || isFirst;
  });
  const staying = new Set(kept.slice(0, MAX_KEPT));
  return files.filter((file) => !staying.has(file));
}

/** An origin holds no white space, and may hold what a file name may not. */
const folderOf = (origin: string): string => encodeURIComponent(origin).replace(/^\./, '%2E');

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** A renamed file is on disk when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
