import { request } from 'node:http';

/** One POST of an empty object with headers as they are, also twice the same. @returns the status */
export function sendHeaders(url: string, path: string, headers: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const required = ['Host', new URL(url).host, 'Content-Type', 'application/json', 'Content-Length', '2'];
    const sent = request(new URL(path, url), { method: 'POST', headers: [...required, ...headers] }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode!));
    });
    sent.on('error', reject).end('{}');
  });
}
