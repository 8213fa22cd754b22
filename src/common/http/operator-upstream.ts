import { AnswerTooLong, readAtMost } from './bounded-answer.js';
import { isTimeout } from './failure-reason.js';
import { findFault, isDeeperThan, MAX_JSON_DEPTH } from './json-body.js';

/** Bytes of an answer; what is more is not read. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** A server that the operator named, and how it is spoken to. */
export interface UpstreamAddress {
  /** The settings' address; names are appended to it. */
  baseUrl: string;
  apiKey: string | undefined;
  timeoutMs: number;
}

export interface UpstreamRequest {
  method: 'GET' | 'POST';
  /** One segment, of the code and not of a caller. */
  name: string;
  /** JSON. */
  body?: Uint8Array;
  /** For whom it is asked. */
  tenant: string;
  principal: string;
  requestId: string;
  /** Aborted when nobody waits any more. */
  deadline: AbortSignal;
}

export interface UpstreamAnswer {
  status: number;
  /** The body, which is JSON. */
  text: string;
}

/** No answer of use came; the message says what was wrong, and names nothing of request or answer. */
export class UpstreamAway extends Error {}

/**
 * Asks a server that the operator named in a setting, and no other: redirects are not followed. Of the request that
 * came in only its body goes on, and no header: neither its credential nor what is meant for one hop.
 */
export class OperatorUpstream {
  constructor(private readonly address: UpstreamAddress) {}

  /** @throws UpstreamAway where it cannot be reached, is late, redirects, or answers too much or no JSON of use */
  async ask(request: UpstreamRequest): Promise<UpstreamAnswer> {
    try {
      const response = await this.send(request);
      if (response.status >= 300 && response.status < 400) {
        await response.body?.cancel();
        throw new UpstreamAway(`redirects (${response.status}), which is not followed`);
      }
      const bytes = await readAtMost(response, MAX_ANSWER_BYTES);
      const text = bytes.toString('utf8');
      const fault = faultOf(bytes, text);
      if (fault !== undefined) throw new UpstreamAway(`answered ${response.status} and ${fault}`);
      return { status: response.status, text };
    } catch (error) {
      throw awayBy(error, this.address.timeoutMs);
    }
  }

  private send({ method, name, body, tenant, principal, requestId, deadline }: UpstreamRequest): Promise<Response> {
    const { baseUrl, apiKey, timeoutMs } = this.address;
    return fetch(`${baseUrl.replace(/\/+$/, '')}/${name}`, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...{ 'x-svc-tenant-id': inHeader(tenant), 'x-svc-principal': inHeader(principal), 'x-request-id': requestId },
      },
      ...(body ? { body: new Uint8Array(body) } : {}),
      signal: AbortSignal.any([deadline, AbortSignal.timeout(timeoutMs)]),
    });
  }
}

/** A name is any text, and a header visible ASCII: the rest of it, and %, goes as %XX of its UTF-8. */
const inHeader = (name: string): string => name.replace(/^ | $|[^ -$&-~]/gu, encodeURIComponent);

function awayBy(error: unknown, timeoutMs: number): UpstreamAway {
  if (error instanceof UpstreamAway) return error;
  if (error instanceof AnswerTooLong)
    return new UpstreamAway(`answered more than ${MAX_ANSWER_BYTES} bytes`, { cause: error });
  return new UpstreamAway(isTimeout(error) ? `did not answer within ${timeoutMs} ms` : 'cannot be reached', {
    cause: error,
  });
}

const NOT_TAKEN =
  'JSON that no request may have: with NUL or a lone surrogate in a text, a member such as __proto__, ' +
  `a number too great to be held, or more than ${MAX_JSON_DEPTH} levels`;

/** Of JSON from there is asked what is asked of a body, so that an answer can hold it and a digest cover it. */
function faultOf(bytes: Uint8Array, text: string): string | undefined {
  if (isDeeperThan(MAX_JSON_DEPTH, bytes)) return NOT_TAKEN;
  try {
    return findFault(JSON.parse(text), '') && NOT_TAKEN;
  } catch {
    return 'no JSON';
  }
}
