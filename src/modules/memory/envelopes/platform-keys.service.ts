import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { WatchedFile } from '../../../common/config/watched-file.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { parsePlatformKeys, type PlatformKey } from './platform-keys.rules.js';

const NO_KEYS: ReadonlyMap<string, PlatformKey> = new Map();

/**
 * The keys in the file that SVCD_PLATFORM_KEYS_FILE names, read when the process starts and again when the file has
 * changed. While a changed file cannot be read no key is trusted: the change may have removed one.
 */
@Injectable()
export class PlatformKeys implements OnModuleInit {
  private readonly file: WatchedFile<ReadonlyMap<string, PlatformKey>>;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.file = new WatchedFile('SVCD_PLATFORM_KEYS_FILE', settings.daemon.platformKeysFile, {
      parse: parsePlatformKeys,
      unset: NO_KEYS,
    });
  }

  /** @throws UserError naming the variable and the file, so that a daemon with a wrong one does not start */
  onModuleInit(): Promise<void> {
    return this.file.check();
  }

  get isConfigured(): boolean {
    return this.file.path !== undefined;
  }

  /** @throws ServiceUnavailable while the file is not one of keys */
  async find(keyId: string): Promise<PlatformKey | undefined> {
    try {
      return (await this.file.read()).get(keyId);
    } catch (error) {
      this.log.error(
        { error, file: this.file.path },
        'the keys of the platform cannot be read; no result envelope is imported',
      );
      throw new ServiceUnavailable(
        { retryAfterSec: 5 },
        'The file that SVCD_PLATFORM_KEYS_FILE names was changed and cannot be used; the log says why. Nothing is imported until it is mended',
      );
    }
  }
}
