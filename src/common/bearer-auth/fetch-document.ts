import { readAtMost } from '../http/bounded-answer.js';

const MAX_BYTES = 1024 * 1024;
const FETCH_MS = 5_000;

/**
 * Reads a document of an identity provider: no redirects, at most 1 MiB, within 5 s.
 * @throws Error saying what is wrong with the answer
 */
export async function fetchDocument(address: string | URL, init: RequestInit = {}): Promise<Response> {
  const signal = init.signal ?? AbortSignal.timeout(FETCH_MS);
  const response = await fetch(address, { ...init, signal, redirect: 'manual' });
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new Error(`it answered ${response.status}`);
  }
  return new Response(await readAtMost(response, MAX_BYTES), { status: 200 });
}

/** An address without what may be a secret in it. */
export function withoutSecrets(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}
