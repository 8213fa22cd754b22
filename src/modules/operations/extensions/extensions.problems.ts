import { problem } from '../../../common/problem/problem.js';
import type { CallOutcome } from './extensions.types.js';

export class ExtensionUnknown extends problem<{ extension_id: string }>(
  404,
  'ExtensionUnknown',
  'There is no such extension',
) {}

export class ExtensionKnown extends problem<{ extension_id: string; digest: string }>(
  409,
  'ExtensionKnown',
  'The extension is registered already',
) {}

export class TooManyExtensions extends problem<{ limit: number }>(
  409,
  'TooManyExtensions',
  'The tenant has as many extensions as it may',
) {}

/** The digest of the request is not the one that was registered. */
export class ExtensionDigestMismatch extends problem<{ extension_id: string; digest: string }>(
  409,
  'ExtensionDigestMismatch',
  'The extension is not the one that was meant',
) {}

export class ExtensionDisabled extends problem<{ extension_id: string }>(
  409,
  'ExtensionDisabled',
  'The extension is disabled',
) {}

/** WASM is not run here (memory-daemon.md 4.12). */
export class WasmExtensionsOff extends problem<{ flag: string }>(501, 'WasmExtensionsOff', 'Not Implemented') {}

/** It was run, and did not end well; the receipt says so too. */
export class ExtensionFailed extends problem<{
  extension_id: string;
  outcome: Exclude<CallOutcome, 'ok'>;
  receipt_id: string;
  logs: string[];
}>(422, 'ExtensionFailed', 'The extension did not end well') {}

/** As many calls as one passport may make of one extension in a minute. */
export class ExtensionRateLimited extends problem<{
  extension_id: string;
  limit: number;
  window_seconds: number;
  retryAfterSec: number;
}>(429, 'ExtensionRateLimited', 'Too Many Requests') {}
