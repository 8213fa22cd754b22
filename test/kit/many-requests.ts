import { Pool } from 'undici';

export interface Ask {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Outcome {
  status: number;
  /** The body of a 401 or 403; of other answers nothing is read. */
  refusal: any;
}

const AT_ONCE = 24;

/**
 * Sends many requests to one server over a few connections, and answers in their order. Streams that begin are ended.
 */
export async function sendAll(url: string, asks: readonly Ask[]): Promise<Outcome[]> {
  const pool = new Pool(url, { connections: AT_ONCE });
  const outcomes: Outcome[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < asks.length) {
      const at = next++;
      outcomes[at] = await sendOne(pool, asks[at]!);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await pool.destroy();
  }
  return outcomes;
}

async function sendOne(pool: Pool, { method, path, headers, body }: Ask): Promise<Outcome> {
  const answer = await pool.request({
    method: method,
    path,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body,
  });
  const status = answer.statusCode;
  if (status === 401 || status === 403) return { status, refusal: await answer.body.json() };
  if (String(answer.headers['content-type']).startsWith('text/event-stream'))
    answer.body.on('error', () => undefined).destroy();
  else await answer.body.dump();
  return { status, refusal: undefined };
}
