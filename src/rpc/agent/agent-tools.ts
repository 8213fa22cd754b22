import { Injectable } from '@nestjs/common';
import { AGENT_TOOL_NAMES } from '../../common/contract/tool-names.js';
import { makeAgentTool, type AgentTool, type AgentToolDeclaration } from './agent-tool.js';
import { EVIDENCE } from './tools/evidence.js';
import { FORGET } from './tools/forget.js';
import { INGEST } from './tools/ingest.js';
import { LINK } from './tools/link.js';
import { MORE_TOOLS } from './tools/more-tools.js';
import { PROVE } from './tools/prove.js';
import { READ } from './tools/read.js';
import { RECORD_ANSWER } from './tools/record-answer.js';
import { RELATED } from './tools/related.js';
import { REMEMBER } from './tools/remember.js';
import { SEARCH } from './tools/search.js';
import { START_SESSION } from './tools/start-session.js';
import { WATCH } from './tools/watch.js';
import { WHATS_NEW } from './tools/whats-new.js';
import { WORK } from './tools/work.js';

const DECLARED: readonly AgentToolDeclaration[] = [
  REMEMBER,
  FORGET,
  READ,
  LINK,
  RELATED,
  RECORD_ANSWER,
  PROVE,
  EVIDENCE,
  WATCH,
  INGEST,
  WORK,
  MORE_TOOLS,
  SEARCH,
  START_SESSION,
  WHATS_NEW,
];

/** The default set, in the order of its names. */
@Injectable()
export class AgentTools {
  readonly tools: readonly AgentTool[] = AGENT_TOOL_NAMES.flatMap((name) =>
    DECLARED.filter((declared) => declared.name === name).map(makeAgentTool),
  );
  private readonly byName = new Map<string, AgentTool>(this.tools.map((tool) => [tool.name, tool]));

  find(name: string): AgentTool | undefined {
    return this.byName.get(name);
  }
}
