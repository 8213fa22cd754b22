import type { Settings } from './config/settings.js';
import type { DatabaseAddress } from './database/connection.js';
import type { Log } from './observability/log.js';
import type { Metrics } from './observability/metrics.js';

/** What a process is given before Nest starts. */
export interface ProcessContext {
  settings: Settings;
  address: DatabaseAddress;
  log: Log;
  metrics: Metrics;
  /** Aborted when the process is about to stop, before its ports close. */
  stopping?: AbortSignal;
  /** Drains this process and ends it, where a supervisor starts it again. */
  restart?: () => void;
}
