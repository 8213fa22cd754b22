import { type Agent, request } from 'node:http';

export interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/** Reads the answer to its end and throws it away. @returns whether it was a good one */
export function send(agent: Agent, url: string, { method, headers, body }: Sent): Promise<boolean> {
  return new Promise((resolve) => {
    const fail = (): void => resolve(false);
    const sent = request(url, { method, agent, headers, timeout: 30_000 }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode === 200 || response.statusCode === 201));
      response.once('error', fail);
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', fail);
    sent.end(body);
  });
}
