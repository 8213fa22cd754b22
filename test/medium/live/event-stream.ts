import { request, type IncomingMessage } from 'node:http';

export interface ReceivedEvent {
  id: string;
  name: string;
  data: any;
}

/** A client of Server-Sent Events over a connection of its own. */
export class EventStream {
  readonly received: ReceivedEvent[] = [];
  private waiting: ((event: ReceivedEvent) => void)[] = [];
  private rest = '';

  private constructor(private readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.take(text));
    response.on('error', () => undefined);
  }

  /** Resolves with the head of the answer, which must be 200. */
  static open(url: string, headers: Record<string, string>, path = '/v1/events/stream'): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const sent = request(`${url}${path}`, { headers, agent: false }, (response) => {
        if (response.statusCode === 200) return resolve(new EventStream(response));
        response.resume();
        reject(new Error(`the stream answered ${response.statusCode}`));
      });
      sent.once('error', reject).end();
    });
  }

  /** The next event that was not asked for yet. */
  next(): Promise<ReceivedEvent> {
    const known = this.received.shift();
    return known ? Promise.resolve(known) : new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Resolves when the server has ended it. */
  ended(): Promise<void> {
    return new Promise((resolve) => this.response.once('close', () => resolve()));
  }

  async close(): Promise<void> {
    const ended = this.ended();
    this.response.destroy();
    await ended;
  }

  private take(text: string): void {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop()!;
    for (const block of blocks) {
      const members = new Map(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      const data = members.get('data');
      if (data === undefined) continue;
      const event = { id: members.get('id') ?? '', name: members.get('event') ?? 'message', data: JSON.parse(data) };
      const waiter = this.waiting.shift();
      if (waiter) waiter(event);
      else this.received.push(event);
    }
  }
}
