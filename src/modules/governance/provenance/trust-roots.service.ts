import type { X509Certificate } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { WatchedFile } from '../../../common/config/watched-file.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { parseCertificates } from '../../../evidence/certificate-path.js';

const NONE: readonly X509Certificate[] = [];

/**
 * The certificates in the file that SVCD_PROVENANCE_TRUST_ROOTS_FILE names. While a changed file cannot be read
 * nothing is judged: the change may have removed one.
 */
@Injectable()
export class TrustRoots implements OnModuleInit {
  private readonly file: WatchedFile<readonly X509Certificate[]>;

  constructor(
    @Inject(SETTINGS) { daemon }: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.file = new WatchedFile('SVCD_PROVENANCE_TRUST_ROOTS_FILE', daemon.provenanceTrustRootsFile, {
      parse: parseCertificates,
      unset: NONE,
    });
  }

  /** @throws UserError naming the variable and the file, so that a daemon with a wrong one does not start */
  onModuleInit(): Promise<void> {
    return this.file.check();
  }

  /** @throws ServiceUnavailable while the file is not one of certificates */
  async read(): Promise<readonly X509Certificate[]> {
    try {
      return await this.file.read();
    } catch (error) {
      this.log.error({ error, file: this.file.path }, 'the trusted roots cannot be read; no envelope is verified');
      throw new ServiceUnavailable(
        { retryAfterSec: 5 },
        'The file that SVCD_PROVENANCE_TRUST_ROOTS_FILE names was changed and cannot be used; the log says why',
      );
    }
  }
}
