import { Inject, Injectable } from '@nestjs/common';
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { LOG, type Log } from '../../common/observability/log.js';
import type { Peer } from '../peer.js';
import { belongsToConversation, findOpening, readMessage } from './mcp-lines.js';
import { McpServers } from './mcp-servers.js';

/** The two sides of the pipe a client holds the other end of. */
export interface McpPipe {
  /** Who speaks, for one message of its: a request id and span of its own each time. */
  peer: () => Peer;
  /** Sends one line, without its line break; resolves when the next may be sent. */
  write: (line: string) => Promise<void> | void;
}

/**
 * The Model Context Protocol on a pipe that carries plain JSON-RPC lines too.
 *
 * The stdio transport opens one conversation for its pipe, shows it every line first, and hands only those lines to the
 * dispatcher that
 * `take` did not take:
 *
 *     const mcp = this.mcp.open({ peer: () => this.peer(), write: (line) => this.write(line) });
 *     ...for each line:   if (!mcp.take(line)) await this.dispatch(line);
 *     ...at its end:      await mcp.close();
 */
@Injectable()
export class McpStdio {
  constructor(
    private readonly servers: McpServers,
    @Inject(LOG) private readonly log: Log,
  ) {}

  open(pipe: McpPipe): McpConversation {
    return new McpConversation(this.servers, this.log, pipe);
  }
}

/**
 * What is said on one pipe. It begins with the first line that only a client of the protocol sends; until then no line
 * is taken.
 */
export class McpConversation {
  private wire?: LineTransport;
  private handle?: { close(): Promise<void> };

  constructor(
    private readonly servers: McpServers,
    private readonly log: Log,
    private readonly pipe: McpPipe,
  ) {}

  /** @returns whether the line is the protocol's; then it is answered by `write`, if at all */
  take(line: string): boolean {
    const message = this.wire ? readMessage(line) : findOpening(line);
    if (!message) return false;
    if (this.wire && !belongsToConversation(message)) return false;
    this.wire ??= this.begin();
    this.wire.receive(message);
    return true;
  }

  /** Resolves when every request that was taken is answered: a client that closed its side first is still answered. */
  async settled(): Promise<void> {
    await this.wire?.settled();
  }

  async close(): Promise<void> {
    await this.handle?.close();
  }

  private begin(): LineTransport {
    const wire = new LineTransport(this.pipe.write);
    this.handle = serveStdio(() => this.servers.make(this.pipe.peer), {
      transport: wire,
      onerror: (error) => this.log.info({ error }, 'mcp: a message was refused'),
    });
    return wire;
  }
}

/** Messages come in one by one and go out as lines; the bytes are the stdio transport's. */
class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly unanswered = new Set<unknown>();
  private waiting: (() => void)[] = [];

  constructor(private readonly write: McpPipe['write']) {}

  async start(): Promise<void> {}

  receive(message: JSONRPCMessage): void {
    if ('method' in message) this.expect(message);
    this.onmessage?.(message);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.write(JSON.stringify(message));
    } finally {
      if (!('method' in message)) this.answered(message.id);
    }
  }

  async close(): Promise<void> {
    this.unanswered.clear();
    this.release();
    this.onclose?.();
  }

  async settled(): Promise<void> {
    if (this.unanswered.size > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /**
   * A request that a cancellation names is not answered any more, and a subscription lasts as long as its client wants.
   */
  private expect(message: JSONRPCRequest | JSONRPCNotification): void {
    if (message.method === 'notifications/cancelled') this.answered(message.params?.requestId);
    else if ('id' in message && message.method !== 'subscriptions/listen') this.unanswered.add(message.id);
  }

  private answered(id: unknown): void {
    this.unanswered.delete(id);
    if (this.unanswered.size === 0) this.release();
  }

  private release(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
