import { AnswerTooLong, readAtMost } from '../../../../common/http/bounded-answer.js';
import { isTimeout } from '../../../../common/http/failure-reason.js';
import { parsedJson } from '../../../../common/http/parsed-json.js';
import type { Problem } from '../../../../common/problem/problem.js';
import { away, type UpstreamReply } from './upstream-answers.rules.js';

/** How the upstream is reached. */
export interface ProofUpstreamAddress {
  url: string;
  tenantId: string | undefined;
  apiKey: string | undefined;
  timeoutMs: number;
}

export interface UpstreamCall {
  method: 'GET' | 'POST';
  /** Below the address, with its query. */
  path: string;
  body?: object;
  idempotencyKey?: string;
}

/** Larger answers are refused: a pack of a large document has a few megabytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** One server over HTTP: connections are kept alive, every call has one deadline for headers and body together. */
export class UpstreamClient {
  /** Scheme, host and port: the only part of the address that callers see. */
  readonly name: string;
  private readonly base: string;
  private readonly headers: Record<string, string>;

  constructor(private readonly address: ProofUpstreamAddress) {
    this.name = new URL(address.url).origin;
    this.base = address.url.replace(/\/+$/, '');
    this.headers = {
      accept: 'application/json',
      ...(address.tenantId === undefined ? {} : { 'x-tenant-id': address.tenantId }),
      ...(address.apiKey === undefined ? {} : { 'x-api-key': address.apiKey }),
    };
  }

  /**
   * One call. It is tried once more when a kept connection turned out to be closed: a GET may be repeated, and a POST
   * bears its key.
   * @throws ServiceUnavailable when the upstream cannot be reached, is too slow or breaks off
   */
  async call(call: UpstreamCall): Promise<UpstreamReply> {
    try {
      return await this.send(call);
    } catch (error) {
      if (!wasClosed(error)) throw this.failure(error);
    }
    try {
      return await this.send(call);
    } catch (error) {
      throw this.failure(error);
    }
  }

  private async send({ method, path, body, idempotencyKey }: UpstreamCall): Promise<UpstreamReply> {
    const response = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(this.address.timeoutMs),
      headers: {
        ...this.headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'x-idempotency-key': idempotencyKey }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = (await readAtMost(response, MAX_ANSWER_BYTES)).toString('utf8');
    return { status: response.status, body: parsedJson(text), retryAfter: response.headers.get('retry-after') };
  }

  private failure(error: unknown): Problem {
    if (error instanceof AnswerTooLong) return away(this.name, 60, `answered more than ${MAX_ANSWER_BYTES} bytes`);
    const what = isTimeout(error) ? `did not answer within ${this.address.timeoutMs} ms` : 'cannot be reached';
    return away(this.name, 5, what);
  }
}

/** The connection ended under the request, as happens when the other side closes one that was kept alive. */
function wasClosed(error: unknown): boolean {
  const { code } = ((error as { cause?: unknown }).cause ?? {}) as { code?: string };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
