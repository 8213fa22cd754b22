import type { AgentAnswer } from './agent-answer.js';
import type { AgentTool } from './agent-tool.js';
import type { Servers } from './servers.js';

/** Runs a tool. Where a route answered it from before, its own answer is that of an earlier call too, and says so. */
export async function runAgentTool(tool: AgentTool, given: object, servers: Servers): Promise<AgentAnswer> {
  let isReplayed = false;
  const call: Servers['call'] = async (...asked) => {
    const reply = await servers.call(...asked);
    isReplayed ||= reply.isReplayed;
    return reply as never;
  };
  const answer = await tool.run(given, { ...servers, call });
  return isReplayed ? answer.repeated : answer;
}
