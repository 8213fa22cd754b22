import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { continueTrace } from '../../common/http/trace.js';
import { decodeUtf8 } from '../../common/http/utf8.js';
import type { Log } from '../../common/observability/log.js';
import type { McpConversation, McpStdio } from '../mcp/mcp-stdio.js';
import type { Credential } from '../../common/keys/tool-callers.js';
import type { Peer } from '../peer.js';
import type { RpcServer } from '../rpc.server.js';
import { LineExchange } from './line-exchange.js';
import type { Line } from './lines.js';
import { answerToLost, tooLong } from './refusals.js';

/** Maximum of lines in flight. */
const MAX_AT_ONCE = 16;

export interface StdioOptions {
  /** One payload a line. */
  input: Readable;
  /** One answer a line; nothing else is ever written to it. */
  output: Writable;
  /** Whose calls all of them are. */
  credential: Credential;
  /** The set of tools that an MCP client is shown, unless the tenant's. */
  toolSet?: string | undefined;
  server: Pick<RpcServer, 'dispatch'>;
  mcp: Pick<McpStdio, 'open'>;
  log: Log;
  maxLineBytes: number;
}

/**
 * JSON-RPC on a pipe (tenant-api.md 4.11): a payload a line in, an answer a line out as each is done, a batch's answers
 * in the one array that JSON-RPC says. A client of the Model Context Protocol is served on the same pipe, from its
 * first message on.
 */
export class StdioTransport {
  private readonly exchange: LineExchange;
  private readonly conversation: McpConversation;

  constructor(private readonly parts: StdioOptions) {
    const { input, output, maxLineBytes, mcp } = parts;
    this.exchange = new LineExchange({
      input,
      output,
      maxLineBytes,
      maxAtOnce: MAX_AT_ONCE,
      answer: (line) => this.answer(line),
      failed: (error, line) => answerToLost(line, error, { log: parts.log, requestId: randomUUID() }),
    });
    this.conversation = mcp.open({ peer: () => this.peer(), write: (line) => this.exchange.write(line) });
    // The reader of the answers is gone: calls in flight run to their end, and their answers have no recipient.
    output.on('error', () => this.stop());
  }

  /** Resolves when the input has ended, or was stopped, and every answer is written out. Never rejects. */
  async run(): Promise<void> {
    await this.exchange.run();
    await this.conversation.settled();
    await this.conversation.close();
    await new Promise<void>((resolve) => this.parts.output.write('', () => resolve()));
  }

  /** Takes no further line. */
  stop(): void {
    this.exchange.stop();
  }

  private async answer(line: Line): Promise<string | undefined> {
    const peer = this.peer();
    if (!('bytes' in line)) return tooLong(this.parts.maxLineBytes, peer.requestId);
    const text = decodeUtf8(line.bytes);
    if (text !== undefined && this.conversation.take(text)) return undefined;
    return (await this.parts.server.dispatch(text ?? line.bytes, peer)).text;
  }

  private peer(): Peer {
    const { credential, toolSet } = this.parts;
    return {
      transport: 'stdio',
      isPublic: false,
      credential: { ...credential },
      clientAddress: '127.0.0.1',
      requestId: randomUUID(),
      traceparent: continueTrace(undefined),
      ...(toolSet === undefined ? {} : { toolSet }),
    };
  }
}
