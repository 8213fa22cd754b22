import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../common/config/settings.js';
import { type IdempotentRequest, digestOfMeaning, repeatedReply } from '../../common/idempotency/idempotent-request.js';
import { IdempotencyStore } from '../../common/idempotency/idempotency.store.js';
import { LOG, type Log } from '../../common/observability/log.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { placesForWrites, WriteLimit } from '../../common/tenancy/write-limit.js';
import { effectOf } from '../effect-key.js';
import type { ToolCaller } from '../peer.js';
import { AgentAnswer } from './agent-answer.js';
import type { AgentArguments } from './agent-arguments.js';
import type { AgentTool } from './agent-tool.js';

/** Of a tool's effect, what its key stands under where a request has its method. */
const METHOD = 'TOOL';

/** No tool makes so many requests in a call whose key is held. */
const MAX_REQUESTS = 8;

/** A call with a key. */
interface KeyedCall {
  tool: AgentTool;
  caller: ToolCaller;
  /** As they were given, without what is about the call itself. */
  args: Record<string, unknown>;
  key: string;
}

/** A call by its key, where that stands for its answer. */
export const keyedCall = (tool: AgentTool, { args, idempotencyKey: key }: AgentArguments) =>
  key === undefined || tool.once === 'called' ? undefined : { tool, args, key };

/** For the decision on a repeat. */
export const effectOfAgentCall = ({ tool: { name }, key }: Pick<KeyedCall, 'tool' | 'key'>) =>
  effectOf({ method: METHOD, path: name }, () => Promise.resolve(key));

/**
 * One effect and one answer a key, of the tools that are made for agents (docs/decisions/0392). What the API makes once
 * by the key is not held: its answer is looked up before and stored after.
 */
@Injectable()
export class AgentRepeats {
  /** Half of the places for writes: all others are decided on and counted by such places too. */
  private readonly held: WriteLimit;
  private readonly longestMs: number;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: IdempotencyStore,
    @Inject(LOG) private readonly log: Log,
    @Inject(SETTINGS) { database, tools }: Settings,
  ) {
    const places = Math.max(1, Math.floor(placesForWrites(database.poolSize) / 2));
    this.held = new WriteLimit(places, database.connectTimeoutMs);
    this.longestMs = MAX_REQUESTS * tools.apiTimeoutMs;
  }

  /** @throws IdempotencyInProgress, IdempotencyKeyReused, and what the work throws, of which nothing is stored */
  async run(call: KeyedCall, work: () => Promise<AgentAnswer>): Promise<AgentAnswer> {
    const asked = requestOf(call);
    let made: AgentAnswer | undefined;
    const make = async (): Promise<AgentAnswer> => (made = await work());
    try {
      return await (call.tool.once === 'held' ? this.runHeld(asked, make) : this.runFree(asked, make));
    } catch (error) {
      if (!made) throw error;
      // The effect is there: a caller that reads of a failure would make another one.
      this.log.warn({ error, tool: call.tool.name }, 'the answer of a tool call was not stored');
      return made;
    }
  }

  /** The requests to the servers are no part of the unit of work that holds the key. */
  private runHeld(asked: IdempotentRequest, work: () => Promise<AgentAnswer>): Promise<AgentAnswer> {
    return this.held.run(
      () =>
        this.tenancy.run(asked.tenantId, async () => {
          const before = await this.findAnswer(asked);
          if (before) return before;
          await this.stayOpen();
          const answer = await this.tenancy.apart(work);
          this.record(asked, answer);
          return answer;
        }),
      asked.tenantId,
    );
  }

  /** PostgreSQL ends a transaction that waits for longer than is usual, and the key would be free meanwhile. */
  private async stayOpen(): Promise<void> {
    const setting = `select set_config('idle_in_transaction_session_timeout', $1, true)`;
    await this.tenancy.query(setting, [String(this.longestMs)]);
  }

  private async runFree(asked: IdempotentRequest, work: () => Promise<AgentAnswer>): Promise<AgentAnswer> {
    const before = await this.tenancy.run(asked.tenantId, () => this.findAnswer(asked));
    if (before) return before;
    const answer = await work();
    await this.tenancy.run(asked.tenantId, async () => this.record(asked, answer));
    return answer;
  }

  private async findAnswer(asked: IdempotentRequest): Promise<AgentAnswer | undefined> {
    const [stored] = await this.store.hold([asked.scope]);
    const body = repeatedReply(stored, asked)?.body;
    if (typeof body !== 'string') return undefined;
    const { text, data } = JSON.parse(body) as Pick<AgentAnswer, 'text' | 'data'>;
    return new AgentAnswer(text, data).repeated;
  }

  private record({ scope, digest }: IdempotentRequest, { text, data }: AgentAnswer): void {
    const body = JSON.stringify({ text, data });
    this.store.record([{ scope, reply: { request_digest: digest, status: 200, body } }]);
  }
}

const requestOf = ({ tool, caller, args, key }: KeyedCall): IdempotentRequest => ({
  tenantId: caller.tenantId,
  scope: { principal: caller.principal, method: METHOD, path: tool.name, key },
  digest: digestOfMeaning(args),
});
