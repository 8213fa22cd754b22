import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * One HTTP request with exactly these headers: fetch sets Host and Origin by itself.
 * @param body undefined: it is left open where a length is declared
 */
export function rawRequest(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(new URL(path, url), { method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => {
        resolve({ status: answer.statusCode!, headers: answer.headers, text });
        sent.destroy();
      });
    });
    sent.once('error', reject);
    if (body === undefined && headers['content-length'] !== undefined) sent.flushHeaders();
    else sent.end(body);
  });
}
