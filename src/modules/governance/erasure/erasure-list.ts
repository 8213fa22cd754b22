import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../../common/config/settings.js';
import { placeOfCheckpoints } from '../../../common/evidence-log/checkpoint-folder.js';
import type { SubjectSelector } from './erasure.types.js';

/** What is kept of an erasure outside the database: whom it was of, by salted fingerprints alone. */
export interface KeptErasure {
  readonly format: 'svc-erasure-1';
  readonly erasure_id: string;
  readonly tenant_id: string;
  readonly erased_at: string;
  readonly erased_by: string;
  /** 32 bytes, hexadecimal. */
  readonly salt: string;
  readonly entities: readonly string[];
  readonly fact_ids: readonly string[];
  readonly documents: readonly string[];
  readonly principals: readonly string[];
  /** Names that begin so: the fingerprint of so many first characters. */
  readonly entity_prefixes: readonly MeasuredFingerprint[];
  readonly texts: readonly MeasuredFingerprint[];
}

/** Without the names. */
export type ErasureHeader = Pick<KeptErasure, 'erasure_id' | 'tenant_id' | 'erased_at' | 'erased_by'>;

interface MeasuredFingerprint {
  /** UTF-16 units. */
  readonly length: number;
  readonly fingerprint: string;
}

const FILE = /^([0-9a-f-]{36})\.json$/;
const PENDING = /^([0-9a-f-]{36})\.json\.pending$/;

/**
 * The erasures of a server, a file each, in the folder `erasures` of the folder of kept checkpoints. A file is there
 * before its erasure is committed, under a name that says so, and under its own once it is: neither an erasure without
 * a file nor a file without an erasure is left by a process that dies.
 */
export class ErasureList {
  private readonly folder: string;

  constructor(settings: Settings) {
    this.folder = join(placeOfCheckpoints(settings), 'erasures');
  }

  get place(): string {
    return this.folder;
  }

  /** An empty one, at the first start: a restore takes it as known that nothing was erased. */
  begin(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  /** @throws Error of the file system: nothing may be erased that a restore would bring back */
  prepare(erasure: ErasureHeader, selector: SubjectSelector): void {
    const salt = randomBytes(32).toString('hex');
    const of = (kind: string) => (name: string) => fingerprintOf(salt, kind, name);
    const measured = (kind: string) => (text: string) => ({ length: text.length, fingerprint: of(kind)(text) });
    const kept: KeptErasure = {
      format: 'svc-erasure-1',
      ...erasure,
      salt,
      entities: selector.entities.map(of('entity')),
      fact_ids: selector.fact_ids.map(of('fact')),
      documents: selector.documents.map(({ corpus_id, doc_id }) => of('document')(`${corpus_id}\0${doc_id}`)),
      principals: selector.principals.map(of('principal')),
      entity_prefixes: selector.entity_prefixes.map(measured('prefix')),
      texts: selector.texts.map(measured('text')),
    };
    this.begin();
    writeFileSync(this.pathOf(erasure.erasure_id, true), JSON.stringify(kept), {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    syncFolder(this.folder);
  }

  /**
   * After the commit. One that is settled already stays so.
   * @returns whether its file is there
   */
  settle(erasureId: string): boolean {
    if (!existsSync(this.pathOf(erasureId, true))) return existsSync(this.pathOf(erasureId, false));
    renameSync(this.pathOf(erasureId, true), this.pathOf(erasureId, false));
    syncFolder(this.folder);
    return true;
  }

  /** Of one that was not committed. */
  discard(erasureId: string): void {
    rmSync(this.pathOf(erasureId, true), { force: true });
  }

  /** Of one that was never committed and does not run. */
  discardOlder(erasureId: string, ageMs: number): void {
    const file = statSync(this.pathOf(erasureId, true), { throwIfNoEntry: false });
    if (file && Date.now() - file.mtimeMs > ageMs) this.discard(erasureId);
  }

  /** Ids of erasures of which it is not said whether they were committed. */
  listPending(): string[] {
    return this.names().flatMap((name) => PENDING.exec(name)?.[1] ?? []);
  }

  exists(): boolean {
    return existsSync(this.folder);
  }

  /**
   * Those that a process left pending too: its death may have been after the commit.
   * @throws Error of one that cannot be read
   */
  read(): KeptErasure[] {
    return this.names()
      .filter((name) => FILE.test(name) || PENDING.test(name))
      .map((name) => {
        const path = join(this.folder, name);
        const kept = JSON.parse(readFileSync(path, 'utf8')) as KeptErasure;
        if (kept.format !== 'svc-erasure-1') throw new Error(`${path} is of another format: restore with a newer svc`);
        return kept;
      })
      .sort((a, b) => (a.erased_at < b.erased_at ? -1 : 1));
  }

  private names(): string[] {
    return existsSync(this.folder) ? readdirSync(this.folder).sort() : [];
  }

  private pathOf(erasureId: string, isPending: boolean): string {
    return join(this.folder, `${erasureId}.json${isPending ? '.pending' : ''}`);
  }
}

export const fingerprintOf = (salt: string, kind: string, name: string): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(`${kind}\0${name}`).digest('hex');

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
