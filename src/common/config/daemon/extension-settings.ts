import { integer, setting } from '../setting.js';

/** Bounds of extensions of the memory daemon (docs/extensions.md). */
export const EXTENSION_SETTINGS = {
  timeoutMs: setting(
    'SVCD_EXTENSION_TIMEOUT_MS',
    integer(2_000, 50, 15_000),
    'How long one call of a WebAssembly extension may run, in milliseconds; then its thread is ended.',
  ),
  memoryMib: setting(
    'SVCD_EXTENSION_MEMORY_MIB',
    integer(32, 1, 512),
    'The most that the memory of a WebAssembly extension may declare as its maximum, in MiB.',
  ),
  callsPerMinute: setting(
    'SVCD_EXTENSION_CALLS_PER_MINUTE',
    integer(60, 1, 100_000),
    'Calls that one passport may make of one extension within any 60 seconds, over all processes.',
  ),
};
