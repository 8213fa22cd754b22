import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { type PlainDecision, ShieldPipeline } from '../call-policy/shield-pipeline.js';
import { IdempotencyStore, type StoredReply } from '../idempotency/idempotency.store.js';
import { type IdempotentRequest, inProgress, repeatedReply } from '../idempotency/idempotent-request.js';
import { Tenancy } from '../tenancy/tenancy.js';

/** A request whose effect has no unit of work yet. */
export interface GroupedRequest extends IdempotentRequest {
  readonly decision: PlainDecision;
  /** Of its answer. */
  readonly status: number;
  /** The reply that it is given again, once that is known. */
  repeat?: StoredReply;
}

/** What the decision on a request rests on has changed: it is to be done in a unit of work of its own. */
export class DecisionChanged extends Error {
  constructor() {
    super('What the decision on this request rests on has changed');
  }
}

/**
 * Effects of several requests in one unit of work, each with its key, its decision and the record of its answer as if
 * it had one of its own. A route says that it is grouped; its handler finds the request here and hands it to
 * {@link together} with those it is done with.
 */
@Injectable()
export class GroupedEffects {
  private readonly running = new AsyncLocalStorage<GroupedRequest>();
  /** Of the requests that are running in this process: no group has one twice. */
  private readonly keys = new Set<string>();

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: IdempotencyStore,
    private readonly pipeline: ShieldPipeline,
  ) {}

  /**
   * Runs the handler of a request.
   * @throws IdempotencyInProgress while one with the same key is running
   */
  async run<T>(request: GroupedRequest, handler: () => Promise<T>): Promise<T> {
    const key = keyOf(request);
    if (this.keys.has(key)) throw inProgress(request);
    this.keys.add(key);
    try {
      return await this.running.run(request, handler);
    } finally {
      this.keys.delete(key);
    }
  }

  /** The request of the running handler; undefined where its unit of work is open. */
  get request(): GroupedRequest | undefined {
    return this.running.getStore();
  }

  /**
   * Does effects of one tenant in one unit of work.
   * @param effect what is done, and answered, for the requests at these places
   * @returns the answer of each, also of one that is repeated; an Error refuses that one alone
   */
  together<R extends object>(
    requests: readonly GroupedRequest[],
    effect: (places: readonly number[]) => Promise<readonly R[]>,
  ): Promise<(R | Error)[]> {
    return this.tenancy.run(requests[0]!.tenantId, async () => {
      const answers = await this.findRepeats<R>(requests);
      const open = [...requests.keys()].filter((place) => answers[place] === undefined);
      const recorded = await this.pipeline.recordPlain(open.map((place) => requests[place]!.decision));
      for (const [n, place] of open.entries()) if (!recorded[n]) answers[place] = new DecisionChanged();
      const places = open.filter((_, n) => recorded[n]);
      if (places.length === 0) return answers as (R | Error)[];
      const done = await effect(places);
      for (const [n, place] of places.entries()) answers[place] = done[n];
      this.store.record(places.map((place, n) => replyOf(requests[place]!, done[n]!)));
      return answers as (R | Error)[];
    });
  }

  private async findRepeats<R>(requests: readonly GroupedRequest[]): Promise<(R | Error | undefined)[]> {
    const held = await this.store.hold(requests.map(({ scope }) => scope));
    return requests.map((request, place) => {
      try {
        const repeat = repeatedReply(held[place], request);
        if (repeat) request.repeat = repeat;
        return repeat && (JSON.parse(repeat.body!) as R);
      } catch (error) {
        return error as Error;
      }
    });
  }
}

const keyOf = ({ tenantId, scope: { principal, method, path, key } }: GroupedRequest): string =>
  JSON.stringify([tenantId, principal, method, path, key]);

const replyOf = ({ scope, digest, status }: GroupedRequest, answer: object) => ({
  scope,
  reply: { request_digest: digest, status, body: JSON.stringify(answer) },
});
