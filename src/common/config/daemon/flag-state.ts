import type { Settings } from '../settings.js';
import { DAEMON_FLAGS, type DaemonFlagName } from './flag-table.js';

export const isFlagOn = (flags: Settings['flags'], name: DaemonFlagName): boolean =>
  flags[name] !== undefined && flags[name] !== false && flags[name] !== 'off';

/** The variables that somebody set to switch on what is not built; what is on by default alone is not among them. */
export const reservedFlagsGiven = ({ flags, given }: Settings): string[] =>
  (Object.keys(DAEMON_FLAGS) as DaemonFlagName[])
    .filter((name) => DAEMON_FLAGS[name].isReserved && isFlagOn(flags, name))
    .map((name) => DAEMON_FLAGS[name].env)
    .filter((env) => given.has(env));
