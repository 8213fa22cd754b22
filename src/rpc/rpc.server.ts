import type { BeforeApplicationShutdown } from '@nestjs/common';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Log } from '../common/observability/log.js';
import { Unauthorized } from '../common/problem/common-problems.js';
import { InternalError } from '../common/problem/problem.filter.js';
import { isMalformed, readPayload } from './json-rpc-reader.js';
import { RPC_CODES, RpcFailure, type MalformedCall, type RpcCall, type RpcInvocation } from './json-rpc.js';
import { JsonText } from './json-text.js';
import type { Peer } from './peer.js';
import { failureOfProblem } from './tools/tool-errors.js';

/** One way for payloads to come in and answers to go out. It frames and unframes, and never interprets. */
export interface Transport {
  open(server: RpcServer): Promise<void>;
  /** Takes nothing more, and brings what is in flight to its end. May be called again. Never rejects. */
  close(): Promise<void>;
}

/** What is to be sent for a payload. */
export interface DispatchedAnswer {
  /**
   * The JSON of the answer, or of the array of a batch's answers, in one line; absent when there is nothing to answer.
   */
  text?: string;
  /** Present when the rate window let nothing of it pass: the seconds to wait. */
  rateLimitedSec?: number;
  /** Whether nothing of it was let through for want of a credential. */
  isUnauthorized?: boolean;
}

/** Calls of one batch that run at once. */
const BATCH_CONCURRENCY = 8;

/**
 * The transport of the tool service: JSON-RPC 2.0, one dispatcher behind every transport. Nest registers the methods
 * (`@MessagePattern`) and runs their guards; what a method throws is an RpcFailure, or an internal error whose cause is
 * not shown.
 */
export class RpcServer extends Server implements CustomTransportStrategy, BeforeApplicationShutdown {
  override readonly transportId = Symbol('json-rpc');

  /** @param log absent where nothing is answered: the server of a declaration */
  constructor(
    private readonly transports: readonly Transport[] = [],
    private readonly log?: Log,
  ) {
    super();
  }

  listen(done: (error?: unknown) => void): void {
    Promise.all(this.transports.map((transport) => transport.open(this))).then(() => done(), done);
  }

  async close(): Promise<void> {
    await Promise.all(this.transports.map((transport) => transport.close()));
  }

  /**
   * Nest closes its transports after the HTTP listener; no transport must take calls while that waits for its last
   * ones.
   */
  beforeApplicationShutdown(): void {
    void this.close();
  }

  on(): void {
    throw new Error('The JSON-RPC transport emits no events');
  }

  unwrap<T>(): T {
    return this.transports as T;
  }

  /** One payload to its answer. Never throws. */
  async dispatch(payload: Uint8Array | string, peer: Peer): Promise<DispatchedAnswer> {
    const { isBatch, members } = readPayload(payload);
    if (!isBatch) return answerOf([await this.answer(members[0]!, peer)], isBatch);
    // Key and token of the headers apply to one call: two effects must not share a key by accident.
    const own = members.length > 1 ? { ...peer, idempotencyKey: undefined, approvalToken: undefined } : peer;
    const answers: Answered[] = new Array<Answered>(members.length);
    let next = 0;
    const work = async () => {
      for (let at = next++; at < members.length; at = next++) answers[at] = await this.answer(members[at]!, own);
    };
    await Promise.all(Array.from({ length: Math.min(BATCH_CONCURRENCY, members.length) }, work));
    return answerOf(answers, isBatch);
  }

  /**
   * Calls one method.
   * @returns what it returned; JsonText where that is the API's answer
   * @throws RpcFailure
   */
  async invoke(method: string, params: object | undefined, peer: Peer): Promise<unknown> {
    const handler = this.messageHandlers.get(method);
    if (!handler) throw new RpcFailure(RPC_CODES.methodNotFound, `Method not found: ${method.slice(0, 100)}`);
    const invocation: RpcInvocation = params === undefined ? { method } : { method, params };
    const result: unknown = await handler(invocation, peer);
    return isObservable(result) ? lastValueFrom(result, { defaultValue: null }) : result;
  }

  private async answer(member: RpcCall | MalformedCall, peer: Peer): Promise<Answered> {
    const { id } = member;
    if (isMalformed(member)) return answeredBy(id, failureOfMalformed(member, peer));
    try {
      const result = await this.invoke(member.method, member.params, peer);
      // Here, so that what cannot be written ends its own call alone.
      return id === undefined ? {} : { text: textOf(id, `"result":${resultText(result)}`) };
    } catch (error) {
      if (error instanceof RpcFailure) return answeredBy(id, error);
      this.log?.error({ request_id: peer.requestId, error }, 'an answer cannot be written');
      return answeredBy(id, failureOfProblem(new InternalError({}), peer.requestId));
    }
  }
}

/** One member of a payload, done. */
interface Answered {
  /** Absent where the member is a notification. */
  text?: string;
  failure?: RpcFailure;
}

/** The code is that of the protocol, whatever the problem's own status says. */
function failureOfMalformed({ code, problem }: MalformedCall, { requestId }: Peer): RpcFailure {
  const { message, data } = failureOfProblem(problem, requestId);
  return new RpcFailure(code, message, data);
}

function answerOf(answers: readonly Answered[], isBatch: boolean): DispatchedAnswer {
  const texts = answers.flatMap(({ text }) => text ?? []);
  const text = texts.length === 0 ? undefined : isBatch ? `[${texts.join(',')}]` : texts[0];
  return {
    ...(text === undefined ? {} : { text }),
    ...(answers.every(isShutOut) ? { isUnauthorized: true } : {}),
    ...(answers.every(isRateLimited) ? { rateLimitedSec: waitOf(answers) } : {}),
  };
}

/** By the caller guard; a session token among the parameters that does not hold is another matter. */
const isShutOut = ({ failure }: Answered): boolean => failure?.cause instanceof Unauthorized;

const isRateLimited = ({ failure }: Answered): boolean => failure?.code === RPC_CODES.rateLimited;

const waitOf = (answers: readonly Answered[]): number =>
  Math.max(1, ...answers.map(({ failure }) => Number(failure?.data?.['retryAfterSec'] ?? 1)));

function answeredBy(id: string | undefined, failure: RpcFailure): Answered {
  const { code, message, data } = failure;
  return id === undefined
    ? { failure }
    : { failure, text: textOf(id, `"error":${JSON.stringify({ code, message, data })}`) };
}

const textOf = (id: string, member: string): string => `{"jsonrpc":"2.0","id":${id},${member}}`;

const resultText = (result: unknown): string =>
  result instanceof JsonText ? result.result : (JSON.stringify(result) ?? 'null');
