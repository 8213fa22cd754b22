import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { isLoopback } from '../../../common/http/bound-address.js';
import { faultOfName, faultOfTarget } from '../../../common/http/public-targets.js';
import { invalid } from '../../../common/problem/common-problems.js';

/** Where peers may be. */
@Injectable()
export class PeerAddresses {
  /** Loopback and private addresses are allowed. */
  readonly allowsPrivate: boolean;
  private readonly allowsHttp: boolean;

  constructor(@Inject(SETTINGS) { sync, process }: Settings) {
    this.allowsPrivate = sync.allowPrivatePeers || process.nodeEnv !== 'production';
    this.allowsHttp = sync.allowHttp;
  }

  /** @throws ValidationFailed for an address that this daemon would not call */
  async check(url: string | null): Promise<void> {
    if (url === null) return;
    const fault = this.faultOf(url) ?? (this.allowsPrivate ? undefined : await faultOfName(url));
    if (fault !== undefined) throw invalid('body.url', fault);
  }

  /** What is wrong with an address, as far as its text shows. */
  faultOf(url: string): string | undefined {
    const { protocol, hostname, search, hash } = new URL(url);
    if (search !== '' || hash !== '') return 'must be an address that paths are appended to, without ? and #';
    if (protocol === 'http:' && !isLoopback(hostname) && !this.allowsHttp)
      return 'must begin with https://; SVCD_SYNC_ALLOW_HTTP=1 allows http:// beyond this machine';
    const isPlain = protocol === 'http:';
    const fault = faultOfTarget(isPlain ? url.replace(/^http:/i, 'https:') : url, this.allowsPrivate);
    return fault === undefined || this.allowsPrivate ? fault : `${fault} (SVCD_SYNC_ALLOW_PRIVATE_PEERS)`;
  }
}
