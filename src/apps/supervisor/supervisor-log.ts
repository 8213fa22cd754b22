import type { Settings } from '../../common/config/settings.js';
import { makeLog } from '../../common/observability/log.js';

/** The supervisor's own lines. */
export interface SupervisorLog {
  info(message: string, facts?: object): void;
  warn(message: string, facts?: object): void;
}

/**
 * For a person on a terminal: sentences on stderr. For a log collector: JSON lines on stdout, like those of the apps.
 */
export function makeSupervisorLog(settings: Settings): SupervisorLog {
  if (process.stdout.isTTY) {
    const write = (message: string): void => void process.stderr.write(`svc: ${message}\n`);
    return { info: write, warn: write };
  }
  const log = makeLog(settings, 'supervisor');
  return { info: (message, facts) => log.info(facts, message), warn: (message, facts) => log.warn(facts, message) };
}
