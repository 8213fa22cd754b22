import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { ToolDispatcher, type ToolOutcome } from '../../../common/contract/tool-dispatcher.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { daemonProblems } from '../../../common/problem/daemon-problem-form.js';
import { functionOf, readCalls, type ReadCall } from './openai-calls.rules.js';
import type { InvokedTools, InvokeTools, OpenaiTools, OpenaiToolsQuery } from './openai-shim.dto.js';

/** The tools in the form of OpenAI's APIs (D46): described and called, nothing is decided here. */
@Injectable()
export class OpenaiShimService {
  private readonly problems;

  constructor(
    private readonly tools: ToolDispatcher,
    @Inject(SETTINGS) { daemon }: Settings,
  ) {
    this.problems = daemonProblems(daemon.errorsBase);
  }

  async list({ form }: OpenaiToolsQuery): Promise<OpenaiTools> {
    const offered = this.tools.list();
    return {
      schema: 'svc.openai_tools/1',
      tools: offered.map((tool) => functionOf(tool, form)),
      access: offered.map(({ name, isRead, scopes: { kind, scopes } }) => ({
        ...{ name, rule: kind, scopes: [...scopes], read_only: isRead },
      })),
    };
  }

  /**
   * A call that fails is answered to the model, like any other; the calls after it are made.
   * @param deadline no further call is made once it aborts: nobody learns what came of those before
   * @throws ValidationFailed for a body that holds no calls
   */
  async invoke(body: InvokeTools, request: FastifyRequest, deadline: AbortSignal): Promise<InvokedTools> {
    const calls = readCalls(body);
    if ('member' in calls) throw invalid(calls.member, calls.message);
    const answer: InvokedTools = { schema: 'svc.openai_results/1', messages: [], results: [] };
    for (const call of calls) {
      deadline.throwIfAborted();
      const outcome = await this.call(call, request);
      const status = outcome.isError ? statusOf(outcome.answer) : null;
      answer.messages.push(messageOf(call, outcome.text));
      answer.results.push({ tool_call_id: call.id, name: call.name, is_error: outcome.isError, status });
    }
    return answer;
  }

  private async call({ name, given, fault }: ReadCall, request: FastifyRequest): Promise<ToolOutcome> {
    if (given) return this.tools.call(name, given, request);
    const answer = this.problems.bodyOf(invalid('arguments', fault ?? ''), request.id);
    return { isError: true, answer, text: JSON.stringify(answer) };
  }
}

const statusOf = ({ status }: Record<string, unknown>): number | null => (typeof status === 'number' ? status : null);

const messageOf = ({ form, id }: ReadCall, text: string): object =>
  form === 'chat'
    ? { role: 'tool', tool_call_id: id, content: text }
    : { type: 'function_call_output', call_id: id, output: text };
