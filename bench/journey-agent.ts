import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { countTokens } from '../src/common/tokens/tokenizer.js';

/** Where the servers are, and as whom to call them. */
export interface JourneyAddress {
  /** Origin of the tenant API. */
  url: string;
  mcpUrl: string;
  tenantId: string;
  apiKey: string;
}

/** What a tool answered. */
export interface ToolReply {
  text: string;
  data: Record<string, unknown>;
  isError: boolean;
}

/** What a part of the job cost. */
export interface StepCost {
  step: string;
  calls: number;
  tokensIn: number;
  tokensOut: number;
}

/**
 * An agent that knows only what tools/list answers. It counts what a model would be given and write: the tools once,
 * and of each call the name and arguments, the text and the structured content. What is in its context: the tools, a
 * note for each task that is done, and the calls of the task at hand.
 */
export class CountingAgent {
  readonly steps: StepCost[] = [];
  /** The fullest that the context was. */
  context = 0;
  private noted = 0;
  private atHand = 0;

  private constructor(
    private readonly client: Client,
    readonly tools: { count: number; tokens: number },
  ) {}

  static async connect({ mcpUrl, tenantId, apiKey }: JourneyAddress): Promise<CountingAgent> {
    const client = new Client({ name: 'journey', version: '1' });
    const headers = { 'x-tenant-id': tenantId, 'x-api-key': apiKey };
    await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } }));
    const { tools } = await client.listTools();
    const given = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const counts = await Promise.all(given.map((tool) => countTokens(JSON.stringify(tool))));
    return new CountingAgent(client, { count: tools.length, tokens: counts.reduce((sum, one) => sum + one, 0) });
  }

  /** A task of a step; of its calls nothing stays in the context but the note that it ends with. */
  async task<T>(step: string, work: () => Promise<{ note: string; value: T }>): Promise<T> {
    if (this.steps.at(-1)?.step !== step) this.steps.push({ step, calls: 0, tokensIn: 0, tokensOut: 0 });
    this.atHand = 0;
    const { note, value } = await work();
    this.noted += await countTokens(note);
    return value;
  }

  /** @param unread arguments that are files, which the model does not write out */
  async call(tool: string, given: Record<string, unknown>, unread: readonly string[] = []): Promise<ToolReply> {
    const written = Object.fromEntries(Object.entries(given).filter(([name]) => !unread.includes(name)));
    const reply = await callTool(this.client, tool, given);
    const tokensIn = await countTokens(`${tool} ${JSON.stringify(written)}`);
    const tokensOut =
      (await countTokens(reply.text)) + (reply.isError ? 0 : await countTokens(JSON.stringify(reply.data)));
    const step = this.steps.at(-1)!;
    Object.assign(step, {
      calls: step.calls + 1,
      tokensIn: step.tokensIn + tokensIn,
      tokensOut: step.tokensOut + tokensOut,
    });
    this.atHand += tokensIn + tokensOut;
    this.context = Math.max(this.context, this.tools.tokens + this.noted + this.atHand);
    return reply;
  }

  /** A call that is no part of the job: what somebody else does, or a look at the ranking. */
  uncounted(tool: string, given: Record<string, unknown>): Promise<ToolReply> {
    return callTool(this.client, tool, given);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

async function callTool(client: Client, name: string, given: Record<string, unknown>): Promise<ToolReply> {
  try {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
    const [part] = content;
    const data = (structuredContent ?? {}) as Record<string, unknown>;
    return { text: part?.type === 'text' ? part.text : '', data, isError: isError === true };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    // What clients show a model of an error of the protocol is its message.
    return { text: error.message, data: (error.data ?? {}) as Record<string, unknown>, isError: true };
  }
}
