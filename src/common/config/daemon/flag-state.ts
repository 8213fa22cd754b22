import type { Settings } from '../settings.js';
import type { DaemonFlagName } from './flag-table.js';

export const isFlagOn = (flags: Settings['flags'], name: DaemonFlagName): boolean =>
  flags[name] !== undefined && flags[name] !== false && flags[name] !== 'off';
