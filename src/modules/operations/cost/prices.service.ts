import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { WatchedFile } from '../../../common/config/watched-file.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import type { PriceList } from './cost.types.js';
import { pricesOf } from './prices.rules.js';

/** The price list of an operator, read when the process starts and again when the file has changed. */
@Injectable()
export class Prices implements OnModuleInit {
  private readonly file: WatchedFile<PriceList | undefined>;

  constructor(
    @Inject(SETTINGS) { daemon }: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.file = new WatchedFile('SVCD_PRICES_FILE', daemon.pricesFile, { parse: pricesOf, unset: undefined });
  }

  /** @throws UserError naming the variable and the file, so that a daemon with a wrong one does not start */
  onModuleInit(): Promise<void> {
    return this.file.check();
  }

  /** @returns undefined where no list is configured @throws ServiceUnavailable while the file cannot be used */
  async read(): Promise<PriceList | undefined> {
    try {
      return await this.file.read();
    } catch (error) {
      this.log.error({ error, file: this.file.path }, 'the price list cannot be read');
      throw new ServiceUnavailable(
        { retryAfterSec: 5 },
        'The file that SVCD_PRICES_FILE names was changed and cannot be used; the log says why. No cost is reported until it is mended',
      );
    }
  }
}
