import type { IncomingMessage } from 'node:http';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Settings } from '../config/settings.js';
import { routeOf } from '../contract/contract.js';
import type { Metrics } from '../observability/metrics.js';
import { ServiceUnavailable } from '../problem/common-problems.js';
import { freeMemory, GrowingBytes } from './growing-bytes.js';
import { announcesBody } from './headers.js';
import { takeTurns } from './turns.js';

const MIB = 1024 * 1024;

/** A body of at most this size is read as it arrives. */
const FEW_BYTES = 64 * 1024;

/** What one request holds of the budget. */
interface Account {
  bytes: number;
  /** Drops what was received; called when the request is over. */
  drop: () => void;
}

/**
 * The bytes of request bodies that this process holds, each from its arrival until its request is over: past a bound no
 * more are taken in. What a client declares counts for nothing, so that a client that announces much and sends little
 * blocks no other.
 */
export class BodyBudget {
  private held = 0;
  private readonly accounts = new WeakMap<IncomingMessage, Account>();

  private constructor(private readonly maxBytes: number) {}

  /** That of the process: its listeners share one. */
  static of({ settings, metrics }: { settings: Settings; metrics: Metrics }): BodyBudget {
    const budget = BUDGETS.get(settings) ?? new BodyBudget(settings.process.maxInflightBodyMib * MIB);
    BUDGETS.set(settings, budget);
    metrics.gauge('svc_inflight_body_bytes', 'Bytes of request bodies that the process holds.', [], (gauge) =>
      gauge.set(budget.held),
    );
    return budget;
  }

  /** Every request with a body gets an account, which ends with its answer or its connection. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('preParsing', (request, reply, _payload, done) => {
      const { raw } = request;
      if (announcesBody(request)) {
        const account = newAccount();
        this.accounts.set(raw, account);
        reply.raw.once('close', () => {
          account.drop();
          this.release(account);
        });
      }
      done();
    });
  }

  /**
   * Reads a body to its end.
   * @throws ServiceUnavailable as soon as it passes the budget; FST_ERR_CTP_BODY_TOO_LARGE as soon as it passes the
   * bound of its route
   */
  read(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
    const { bodyLimit } = request.routeOptions;
    const declared = Number(request.headers['content-length'] ?? bodyLimit);
    if (declared > bodyLimit) return Promise.reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    const hasSecrets = (routeOf(request)?.secrets.length ?? 0) > 0;
    const received = new GrowingBytes(declared, hasSecrets);
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const account = this.accounts.get(request.raw) ?? newAccount();
    const stop = () => void payload.off('data', take).off('end', end).off('error', fail);
    const drop = (): void => {
      stop();
      received.free();
    };
    const fail = (error: Error): void => {
      drop();
      // At once, so that the next chunk of another request fits.
      this.release(account);
      reject(error);
    };
    const end = (): void => {
      stop();
      account.drop = nothing;
      resolve(received.whole);
    };
    const take = (chunk: Buffer): void => {
      if (received.length + chunk.length > declared) return fail(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
      if (!this.charge(account, chunk.length)) return fail(full());
      const isCopied = received.push(chunk);
      if (received.length <= FEW_BYTES) return;
      if (isCopied) freeMemory(chunk);
      takeTurns(payload);
    };
    account.drop = drop;
    payload.on('data', take).on('end', end).on('error', fail);
    return promise;
  }

  /** Has something done when the request is over, once its body was read. */
  atEnd({ raw }: FastifyRequest, work: () => void): void {
    const account = this.accounts.get(raw);
    if (account) account.drop = work;
  }

  /** @returns false when the budget does not allow so many */
  private charge(account: Account, bytes: number): boolean {
    if (this.held + bytes > this.maxBytes) return false;
    this.held += bytes;
    account.bytes += bytes;
    return true;
  }

  private release(account: Account): void {
    this.held -= account.bytes;
    account.bytes = 0;
  }
}

const nothing = (): void => undefined;
const newAccount = (): Account => ({ bytes: 0, drop: nothing });

const BUDGETS = new WeakMap<Settings, BodyBudget>();

const full = (): ServiceUnavailable =>
  new ServiceUnavailable(
    { retryAfterSec: 1 },
    'The bodies of other requests take all of SVC_MAX_INFLIGHT_BODY_MIB; try again soon, or send less at once',
  );
