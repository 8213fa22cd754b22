import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { failureReason } from '../http/failure-reason.js';
import { retryAfterMs } from '../http/retry-after.js';
import { UserError } from '../user-error.js';

/** Where a server is, and as whom to call it. */
export interface ApiAddress {
  /** Origin of the tenant API, without a slash at its end. */
  url: string;
  tenantId: string;
  apiKey: string;
}

interface SentBody {
  content: string | Uint8Array<ArrayBuffer>;
  contentType: string;
}

/** Longest wait for one answer. */
const ANSWER_MS = 60_000;
/** How often a call is tried when the server says 503 or 429 (it says how long to wait). */
const ATTEMPTS = 5;

/**
 * The server refused, or could not be reached: `message` says what to do about it. `status` is 0 when there was no
 * answer.
 */
export class ApiFailure extends UserError {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * A small client of the tenant API, for commands and benchmarks: the two headers, idempotency keys, waiting out a 503.
 */
export class ApiClient {
  constructor(readonly address: ApiAddress) {}

  get<T>(path: string): Promise<T> {
    return this.json<T>('GET', path);
  }

  /** A write gets an idempotency key of its own, or the one its body names, kept over its repetitions. */
  post<T>(path: string, body: object): Promise<T> {
    return this.json<T>('POST', path, body);
  }

  delete<T>(path: string): Promise<T> {
    return this.json<T>('DELETE', path);
  }

  /** Posts bytes as they are, of a media type. */
  async upload<T>(path: string, content: Uint8Array<ArrayBuffer>, contentType: string): Promise<T> {
    return (await (await this.send('POST', path, { content, contentType })).json()) as T;
  }

  /** The body as it is, byte for byte. */
  async bytes(path: string): Promise<Uint8Array> {
    return new Uint8Array(await (await this.send('GET', path)).arrayBuffer());
  }

  private async json<T>(method: string, path: string, body?: object): Promise<T> {
    const sent = body && { content: JSON.stringify(body), contentType: 'application/json' };
    return (await (await this.send(method, path, sent, keyIn(body))).json()) as T;
  }

  /** @throws ApiFailure when the answer is not 2xx */
  private async send(method: string, path: string, body?: SentBody, key?: string): Promise<Response> {
    const idempotencyKey = key ?? randomUUID();
    for (let attempt = 1; ; attempt++) {
      const response = await this.fetch(method, path, idempotencyKey, body);
      if (response.ok) return response;
      const wait = retryAfterMs(response.headers.get('retry-after')) ?? 0;
      const isTemporary = response.status === 503 || response.status === 429;
      if (!isTemporary || attempt === ATTEMPTS) throw await refusal(method, path, response);
      await sleep(Math.min(Math.max(wait, 200), 10_000));
    }
  }

  private async fetch(method: string, path: string, idempotencyKey: string, body?: SentBody): Promise<Response> {
    const { url, tenantId, apiKey } = this.address;
    try {
      return await fetch(url + path, {
        method,
        headers: {
          'x-tenant-id': tenantId,
          'x-api-key': apiKey,
          ...(method === 'GET' ? {} : { 'x-idempotency-key': idempotencyKey }),
          ...(body ? { 'content-type': body.contentType } : {}),
        },
        body: body?.content,
        signal: AbortSignal.timeout(ANSWER_MS),
      });
    } catch (error) {
      throw new ApiFailure(
        0,
        `No answer from ${url} (${failureReason(error)}). Is svc running there? "npm start" starts it.`,
      );
    }
  }
}

function keyIn(body: object | undefined): string | undefined {
  return body && 'idempotencyKey' in body && typeof body.idempotencyKey === 'string' ? body.idempotencyKey : undefined;
}

const REMEDIES: Record<number, string> = {
  401: 'Check the tenant and its API key; "svc key create <tenant>" makes a new key.',
  403: 'The key belongs to another tenant, or may not do this.',
  404: 'The server has no such thing, or does not serve this route: is it the same version of svc?',
  412: 'The feature is switched off on this server; see docs/env.md.',
  503: 'The server is up but cannot work now; its /readyz says why.',
};

async function refusal(method: string, path: string, response: Response): Promise<ApiFailure> {
  const text = await response.text();
  const said = detailOf(text) ?? text.slice(0, 200);
  const remedy = REMEDIES[response.status];
  const [route] = path.split('?', 1);
  return new ApiFailure(
    response.status,
    `${method} ${route}: ${response.status} ${said}${remedy ? `\n${remedy}` : ''}`,
  );
}

function detailOf(text: string): string | undefined {
  try {
    const { type, detail, title } = JSON.parse(text) as Record<string, string | undefined>;
    return [type, detail ?? title].filter(Boolean).join(': ');
  } catch {
    return undefined;
  }
}
