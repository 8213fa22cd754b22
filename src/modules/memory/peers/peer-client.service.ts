import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, fetch as fetchByAgent, type RequestInit as AgentInit } from 'undici';
import { failureReason } from '../../../common/http/failure-reason.js';
import { retryAfterMs } from '../../../common/http/retry-after.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { KeyRing } from '../../../common/evidence-log/key-ring.js';
import { signerOfPeers } from '../../../common/evidence-log/peer-identity.js';
import { AnswerTooLong, readAtMost } from '../../../common/http/bounded-answer.js';
import { findExcess } from '../../../common/http/json-body.js';
import { parsedJson } from '../../../common/http/parsed-json.js';
import { publicLookup } from '../../../common/http/public-targets.js';
import { contentDigestOf } from '../../../common/peer-auth/content-digest.js';
import { coveredBy, DELEGATION_HEADER, DIGEST_HEADER, NONCE_HEADER } from '../../../common/peer-auth/peer-request.js';
import { draftSignature } from '../../../common/peer-auth/request-signature.js';
import { PEERS } from '../../../evidence/purposes.js';
import { signDraft } from '../../../evidence/signer.js';
import { PeerAddresses } from './peer-addresses.service.js';
import { PeerAnswerUnusable, PeerNotCallable, PeerRefused, PeerUnreachable } from './peer-failures.types.js';
import type { PeerTarget } from './peers.types.js';

const MIB = 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * MIB;
/** Of a nonce, and of a problem. */
const FEW_BYTES = 64 * 1024;
/** Of an answer: what 8 MiB of content come to at most. JSON.parse makes gigabytes of 64 MiB that are empty lists. */
const MAX_VALUES = 5_000_000;
const MAX_MEMBERS = 2_000_000;
/** How long a signature holds, in seconds; clocks differ less. */
const HOLDS_SECONDS = 60;
const CONNECTIONS = 8;

export interface PeerAsk {
  readonly method: 'GET' | 'POST';
  /** Begins with a slash, with its query; appended to the address of the peer. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Longest answer in bytes; 64 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

interface PeerAnswer {
  readonly status: number;
  readonly body: unknown;
  /** As it came. */
  readonly bytes: Uint8Array;
}

interface RawAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly bytes: Buffer;
}

/** A peer that is asked, one signed request after the other. */
export interface PeerConnection {
  /** @throws PeerRefused, PeerUnreachable, PeerAnswerUnusable, SettingsInvalid where this machine has no key */
  ask(request: PeerAsk): Promise<PeerAnswer>;
}

/** Asks peers over HTTP: signed requests, no redirects, bounded answers (docs/formats/peer-requests.md). */
@Injectable()
export class PeerClient implements OnApplicationShutdown {
  private readonly agent: Agent;
  private readonly timeoutMs: number;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly keys: KeyRing,
    private readonly addresses: PeerAddresses,
  ) {
    this.timeoutMs = settings.sync.timeoutMs;
    // A name may lead elsewhere than when the peer was added.
    const connect = addresses.allowsPrivate ? {} : { lookup: publicLookup };
    this.agent = new Agent({ connections: CONNECTIONS, connect });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  /**
   * For what is asked of a peer without a signature: a name leads nowhere else than where {@link open} goes.
   * @throws PeerNotCallable
   */
  fetchOf(target: PeerTarget): typeof fetch {
    this.expectCallable(target);
    const send = (address: string, init: AgentInit) => fetchByAgent(address, { ...init, dispatcher: this.agent });
    return send as unknown as typeof fetch;
  }

  /** @throws PeerNotCallable */
  open(target: PeerTarget): PeerConnection {
    this.expectCallable(target);
    let kept: string | undefined;
    const ask = async (request: PeerAsk, isAgain = false): Promise<PeerAnswer> => {
      const nonce = kept ?? (await this.askNonce(target, request.signal));
      const wasKept = nonce === kept;
      kept = undefined;
      const answer = await this.send(target, await this.signed(target, request, nonce), request);
      kept = answer.header(NONCE_HEADER);
      if (answer.status === 401 && wasKept && !isAgain && STALE.has(problemIn(answer).code ?? ''))
        return ask(request, true);
      return readAnswer(target, answer);
    };
    return { ask: (request) => ask(request) };
  }

  private expectCallable({ url, peerId }: PeerTarget): void {
    const fault = this.addresses.faultOf(url);
    if (fault !== undefined) throw new PeerNotCallable(peerId, `is not called: its address ${fault}`);
  }

  private async askNonce(target: PeerTarget, signal: AbortSignal | undefined): Promise<string> {
    const request = {
      method: 'POST' as const,
      path: '/v1/sync/handshake/nonce',
      maxBytes: FEW_BYTES,
      ...(signal ? { signal } : {}),
    };
    const { body } = readAnswer(target, await this.send(target, {}, request));
    const { nonce } = (body ?? {}) as { nonce?: unknown };
    if (typeof nonce === 'string' && /^[\w-]{20,200}$/.test(nonce)) return nonce;
    throw new PeerAnswerUnusable(target.peerId, 'answered no nonce');
  }

  private async signed(
    { url, delegation }: PeerTarget,
    { method, path, body }: PeerAsk,
    nonce: string,
  ): Promise<Record<string, string>> {
    const signer = signerOfPeers(this.settings, this.keys.peerIdentity);
    const contentDigest = contentDigestOf(bytesOf(body) ?? new Uint8Array());
    const covered = coveredBy({ method, targetUri: new URL(url + path).href, contentDigest, nonce, delegation });
    const created = Math.floor(Date.now() / 1000);
    const draft = draftSignature(covered, { created, expires: created + HOLDS_SECONDS, keyid: signer.kid });
    return {
      [DIGEST_HEADER]: contentDigest,
      [NONCE_HEADER]: nonce,
      ...(delegation === undefined ? {} : { [DELEGATION_HEADER]: delegation }),
      ...(await signDraft(draft, signer, PEERS)),
    };
  }

  private async send(
    { url, peerId }: PeerTarget,
    fields: Record<string, string>,
    { method, path, body, maxBytes = MAX_ANSWER_BYTES, signal }: PeerAsk,
  ): Promise<RawAnswer> {
    const target = new URL(url + path);
    const bytes = bytesOf(body);
    const limit = AbortSignal.timeout(this.timeoutMs);
    try {
      const answer = await this.agent.request({
        origin: target.origin,
        path: target.pathname + target.search,
        method,
        headers: { accept: 'application/json', ...fields, ...(bytes ? { 'content-type': 'application/json' } : {}) },
        body: bytes ?? null,
        signal: signal ? AbortSignal.any([limit, signal]) : limit,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return {
        status: answer.statusCode,
        header: (name) => text(answer.headers[name]),
        bytes: await readAtMost(answer, maxBytes),
      };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof AnswerTooLong) throw new PeerAnswerUnusable(peerId, `answered more than ${maxBytes} bytes`);
      const reason = limit.aborted
        ? `did not answer within ${this.timeoutMs} ms`
        : `is not reached: ${failureReason(error)}`;
      throw new PeerUnreachable(peerId, reason, { cause: error });
    }
  }
}

/** A nonce that was kept has ended meanwhile: nothing was done. */
const STALE = new Set(['NONCE_UNKNOWN', 'NONCE_EXPIRED', 'NONCE_REPLAYED']);

/** @throws PeerRefused, PeerAnswerUnusable */
function readAnswer({ peerId }: PeerTarget, answer: RawAnswer): PeerAnswer {
  const { status, bytes } = answer;
  if (status >= 200 && status < 300) {
    const excess = findExcess(bytes, MAX_MEMBERS, MAX_VALUES);
    if (excess !== undefined) throw new PeerAnswerUnusable(peerId, `answered JSON that ${excess.replace(/;.*/, '')}`);
    const body = parsedJson(bytes.toString('utf8'));
    if (body === undefined) throw new PeerAnswerUnusable(peerId, `answered ${status} and no JSON`);
    return { status, body, bytes };
  }
  const { code, retryable, detail } = problemIn(answer);
  const retryAfter = retryAfterMs(answer.header('retry-after'));
  const isRetryable = retryable ?? (status === 429 || status >= 500);
  const why = status >= 300 && status < 400 ? 'redirects are not followed' : detail;
  throw new PeerRefused(
    peerId,
    status,
    code,
    isRetryable,
    retryAfter === undefined ? undefined : retryAfter / 1000,
    why,
  );
}

/** What a problem of a daemon says; of any other answer nothing. */
function problemIn({ bytes }: RawAnswer): { code: string | undefined; retryable: boolean | undefined; detail: string } {
  const body = (bytes.length <= FEW_BYTES ? parsedJson(bytes.toString('utf8')) : undefined) as
    Record<string, unknown> | null | undefined;
  const { code, retryable, detail } = body ?? {};
  return {
    code: typeof code === 'string' && /^[\w-]{1,64}$/.test(code) ? code : undefined,
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
    detail: typeof detail === 'string' ? detail.slice(0, 1000) : '',
  };
}

const bytesOf = (body: object | undefined): Buffer | undefined =>
  body === undefined ? undefined : Buffer.from(JSON.stringify(body));

const text = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
