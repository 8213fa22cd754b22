import { Inject, Injectable } from '@nestjs/common';
import { apiUrlOf } from '../common/config/server-urls.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { Metrics } from '../common/observability/metrics.js';
import { ServerConnection } from './server-connection.js';

/** To the tenant API. */
@Injectable()
export class ApiConnection extends ServerConnection {
  constructor(@Inject(SETTINGS) settings: Settings, metrics: Metrics) {
    super({ url: apiUrlOf(settings), name: 'api', title: 'API' }, settings, metrics);
  }
}
