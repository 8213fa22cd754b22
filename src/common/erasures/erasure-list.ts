import { randomUUID } from 'node:crypto';
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
import { sha256 } from '../../evidence/sha256.js';
import type { Settings } from '../config/settings.js';
import { placeOfCheckpoints } from '../evidence-log/checkpoint-folder.js';

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

interface MeasuredFingerprint {
  /** UTF-16 units. */
  readonly length: number;
  readonly fingerprint: string;
}

/** The same of a tenant that was erased as a whole. Its name is in its file: it stays taken in the database too. */
export interface KeptTenantErasure {
  readonly format: 'svc-tenant-erasure-1';
  readonly tenant_id: string;
  readonly erased_at: string;
}

type Kept = KeptErasure | KeptTenantErasure;

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
  prepare(erasure: KeptErasure): void {
    this.begin();
    write(this.pathOf(erasure.erasure_id, true), erasure);
    syncFolder(this.folder);
  }

  /**
   * Before any of its rows goes, and once nothing can bring it back any more: there is no commit to wait for.
   * @throws Error of the file system
   */
  keepTenant(tenantId: string, erasedAt: Date): void {
    const path = this.pathOf(fileIdOf(tenantId), false);
    if (existsSync(path)) return;
    this.begin();
    const whole = `${path}.${randomUUID()}`;
    const kept = { format: 'svc-tenant-erasure-1', tenant_id: tenantId, erased_at: erasedAt.toISOString() } as const;
    write(whole, kept);
    renameSync(whole, path);
    syncFolder(this.folder);
  }

  findTenant(tenantId: string): KeptTenantErasure | undefined {
    const path = this.pathOf(fileIdOf(tenantId), false);
    return existsSync(path) ? (readKept(path) as KeptTenantErasure) : undefined;
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
  read(): { subjects: KeptErasure[]; tenants: KeptTenantErasure[] } {
    const all = this.names()
      .filter((name) => FILE.test(name) || PENDING.test(name))
      .map((name) => readKept(join(this.folder, name)))
      .sort((a, b) => (a.erased_at < b.erased_at ? -1 : 1));
    return { subjects: all.filter((kept) => !isOfTenant(kept)), tenants: all.filter(isOfTenant) };
  }

  private names(): string[] {
    return existsSync(this.folder) ? readdirSync(this.folder).sort() : [];
  }

  private pathOf(erasureId: string, isPending: boolean): string {
    return join(this.folder, `${erasureId}.json${isPending ? '.pending' : ''}`);
  }
}

const isOfTenant = (kept: Kept): kept is KeptTenantErasure => kept.format === 'svc-tenant-erasure-1';

/** One file a tenant, named as those of erasures are. */
const fileIdOf = (tenantId: string): string =>
  sha256(`tenant\0${tenantId}`)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

function write(path: string, kept: Kept): void {
  writeFileSync(path, JSON.stringify(kept), { mode: 0o600, flag: 'wx', flush: true });
}

/** @throws Error of one that cannot be read */
function readKept(path: string): Kept {
  const kept = JSON.parse(readFileSync(path, 'utf8')) as Kept;
  if (kept.format !== 'svc-erasure-1' && !isOfTenant(kept))
    throw new Error(`${path} is of another format: restore with a newer svc`);
  return kept;
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
