import { checkReadiness } from '../generated/daemon/sdk.gen.ts';
import type { Readiness } from '../generated/daemon/types.gen.ts';
import { useAnswer } from './queries.ts';

const EVERY_MS = 5_000;

/** GET /readyz: 503 is an answer too, and says which gate fails. */
async function askReadiness(): Promise<{ data?: Readiness; error?: unknown; response?: Response }> {
  const { data, error, response } = await checkReadiness();
  const body = data ?? error;
  const isAnswer = typeof body === 'object' && body !== null && 'checks' in body;
  return isAnswer ? { data: body, response: new Response() } : { error, ...(response && { response }) };
}

/** Whether the daemon is ready, gate by gate. */
export const useReadiness = () => useAnswer(['readiness'], askReadiness, { everyMs: EVERY_MS });
