import { Inject, Injectable } from '@nestjs/common';
import { daemonUrlOf } from '../common/config/server-urls.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { Metrics } from '../common/observability/metrics.js';
import { ServerConnection } from './server-connection.js';

/** To the memory daemon. */
@Injectable()
export class DaemonConnection extends ServerConnection {
  constructor(@Inject(SETTINGS) settings: Settings, metrics: Metrics) {
    super({ url: daemonUrlOf(settings), name: 'daemon', title: 'memory daemon' }, settings, metrics);
  }
}
