import { integer, setting, text } from '../setting.js';

/** How the servers of SVCD_ENGINE_BASE_URL and SVCD_GPU1_BASE_URL are spoken to. */
export const UPSTREAM_SETTINGS = {
  engineApiKey: setting('SVCD_ENGINE_API_KEY', text(), 'Bearer token for SVCD_ENGINE_BASE_URL.', { secret: true }),
  engineTimeoutMs: setting(
    'SVCD_ENGINE_TIMEOUT_MS',
    integer(15_000, 50, 25_000),
    'How long the engine may take for one answer, in milliseconds.',
  ),
  gpuApiKey: setting('SVCD_GPU1_API_KEY', text(), 'Bearer token for SVCD_GPU1_BASE_URL.', { secret: true }),
  gpuTimeoutMs: setting(
    'SVCD_GPU1_TIMEOUT_MS',
    integer(20_000, 50, 25_000),
    'How long the server of SVCD_GPU1_BASE_URL may take for one answer, in milliseconds.',
  ),
};
