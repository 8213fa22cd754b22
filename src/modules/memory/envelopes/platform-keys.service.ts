import { readFile, stat } from 'node:fs/promises';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { parsePlatformKeys, type PlatformKey } from './platform-keys.rules.js';

const MAX_BYTES = 1024 * 1024;
const NO_KEYS: ReadonlyMap<string, PlatformKey> = new Map();

/**
 * The keys in the file that SVCD_PLATFORM_KEYS_FILE names, read when the process starts and again when the file has
 * changed. While a changed file cannot be
 * read no key is trusted: the change may have removed one.
 */
@Injectable()
export class PlatformKeys implements OnModuleInit {
  private readonly file: string | undefined;
  private known: { state: string; keys: ReadonlyMap<string, PlatformKey> } | undefined;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.file = settings.daemon.platformKeysFile;
  }

  /** @throws Error naming the variable and the file, so that a daemon with a wrong one does not start */
  async onModuleInit(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      throw new Error(`SVCD_PLATFORM_KEYS_FILE=${this.file} cannot be used: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  get isConfigured(): boolean {
    return this.file !== undefined;
  }

  /** @throws ServiceUnavailable while the file is not one of keys */
  async find(keyId: string): Promise<PlatformKey | undefined> {
    try {
      return (await this.read()).get(keyId);
    } catch (error) {
      this.log.error(
        { error, file: this.file },
        'the keys of the platform cannot be read; no result envelope is imported',
      );
      throw new ServiceUnavailable(
        { retryAfterSec: 5 },
        'The file that SVCD_PLATFORM_KEYS_FILE names was changed and cannot be used; the log says why. Nothing is imported until it is mended',
      );
    }
  }

  private async read(): Promise<ReadonlyMap<string, PlatformKey>> {
    if (this.file === undefined) return NO_KEYS;
    const { ino, size, mtimeMs, ctimeMs } = await stat(this.file);
    const state = [ino, size, mtimeMs, ctimeMs].join();
    if (this.known?.state === state) return this.known.keys;
    this.known = undefined;
    if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    const keys = parsePlatformKeys(await readFile(this.file, 'utf8'));
    this.known = { state, keys };
    return keys;
  }
}
