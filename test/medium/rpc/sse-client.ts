import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';

export interface SseEvent {
  id?: string;
  event?: string;
  data?: any;
  retry?: string;
  comment?: string;
}

/** A client of GET /sse that shows every event as it came. */
export class SseClient {
  readonly head: Promise<IncomingMessage>;
  private readonly request: ClientRequest;
  private readonly events: AsyncGenerator<SseEvent>;

  constructor(url: string, headers: Record<string, string>) {
    this.request = request(`${url}/sse`, { agent: false, headers });
    this.request.on('error', () => undefined);
    this.request.end();
    this.head = once(this.request, 'response').then(([response]) => response as IncomingMessage);
    this.head.catch(() => undefined);
    this.events = eventsOf(this.head);
  }

  /** The next event; undefined at the end. */
  async next(): Promise<SseEvent | undefined> {
    const { value, done } = await this.events.next();
    return done ? undefined : value;
  }

  async rest(): Promise<SseEvent[]> {
    const found: SseEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) found.push(event);
    return found;
  }

  destroy(): void {
    this.request.destroy();
  }
}

async function* eventsOf(head: Promise<IncomingMessage>): AsyncGenerator<SseEvent> {
  let begun = '';
  for await (const chunk of (await head).setEncoding('utf8')) {
    begun += chunk as string;
    for (let end = begun.indexOf('\n\n'); end >= 0; end = begun.indexOf('\n\n')) {
      yield readEvent(begun.slice(0, end));
      begun = begun.slice(end + 2);
    }
  }
  if (begun !== '') throw new Error(`The stream ended within an event: ${begun.slice(0, 100)}`);
}

function readEvent(text: string): SseEvent {
  const fields = text.split('\n').map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon) || 'comment', field.slice(colon + 1).trim()] as const;
  });
  const event: SseEvent = Object.fromEntries(fields);
  if (event.data !== undefined) event.data = JSON.parse(event.data);
  return event;
}
