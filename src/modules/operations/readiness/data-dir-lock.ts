import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';

/** The holder of the lock, as it describes itself; only reported, never relied on. */
export interface LockHolder {
  pid: number;
  host: string;
  since: string;
}

/**
 * The exclusive lock of one daemon on its data directory: an advisory lock of the operating system (fcntl) on
 * `daemon.lock`, which the kernel releases when the process ends, however it ends. Node.js itself cannot take one; its
 * SQLite takes exactly that with BEGIN EXCLUSIVE, and nothing is ever written to the file (docs/decisions/0103).
 */
@Injectable()
export class DataDirLock implements OnModuleInit, OnApplicationShutdown {
  private readonly file: string;
  private readonly holderFile: string;
  private held: { database: DatabaseSync; inode: string } | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    const { dataDir } = settings.process;
    this.file = join(dataDir, 'daemon.lock');
    this.holderFile = join(dataDir, 'daemon.holder.json');
  }

  onModuleInit(): void {
    mkdirSync(this.settings.process.dataDir, { recursive: true, mode: 0o700 });
    this.hold();
  }

  onApplicationShutdown(): void {
    this.release();
  }

  /**
   * Takes the lock unless it is held. One on a file that was moved away or deleted is no lock on the directory any
   * more.
   * @returns why it is not held; undefined when it is
   */
  hold(): string | undefined {
    if (this.held && this.held.inode !== this.findInode()) this.release();
    return this.held ? undefined : this.take();
  }

  /** The process that holds it instead of this one. */
  findHolder(): LockHolder | undefined {
    try {
      return JSON.parse(readFileSync(this.holderFile, 'utf8')) as LockHolder;
    } catch {
      return undefined;
    }
  }

  private take(): string | undefined {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(this.file, { timeout: 0 });
      database.exec('begin exclusive');
      this.writeHolder();
      this.held = { database, inode: this.findInode() ?? '' };
      return undefined;
    } catch (error) {
      if (database?.isOpen) database.close();
      return (error as Error).message;
    }
  }

  private release(): void {
    this.held?.database.close();
    this.held = undefined;
  }

  private findInode(): string | undefined {
    const found = statSync(this.file, { throwIfNoEntry: false, bigint: true });
    return found && `${found.dev}:${found.ino}`;
  }

  private writeHolder(): void {
    const holder: LockHolder = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
    const whole = `${this.holderFile}.${process.pid}`;
    writeFileSync(whole, JSON.stringify(holder), { mode: 0o600 });
    renameSync(whole, this.holderFile);
  }
}
