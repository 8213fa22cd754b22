import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Words of one meaning share a dimension; a word in no list has none. */
const MEANINGS = [
  ['car', 'automobile', 'sedan'],
  ['ship', 'vessel', 'boat'],
  ['doctor', 'physician', 'surgeon'],
  ['cheap', 'inexpensive', 'affordable'],
];

/** How many words of each meaning a text has, and a little of none, so that no vector is zero. */
function embedWords(text: string): number[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const counts = MEANINGS.map((meaning) => words.filter((word) => meaning.includes(word)).length);
  return [...counts, 0.1];
}

export interface EmbeddingsServer {
  url: string;
  /** What was asked, in order. */
  requests: { authorization?: string; model: string; input: string[] }[];
  /** The statuses of the next answers; 200 when it runs out. */
  faults: number[];
  close(): Promise<void>;
}

/** An OpenAI-compatible embeddings endpoint on a free loopback port. */
export async function startEmbeddings(): Promise<EmbeddingsServer> {
  const requests: EmbeddingsServer['requests'] = [];
  const faults: number[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { model, input } = JSON.parse(Buffer.concat(parts).toString()) as { model: string; input: string[] };
      requests.push({ authorization: request.headers.authorization, model, input });
      const status = request.url === '/v1/embeddings' ? (faults.shift() ?? 200) : 404;
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: embedWords(text) })).reverse();
      response.writeHead(status, { 'content-type': 'application/json' });
      const usage = { prompt_tokens: input.length, total_tokens: input.length };
      const answer = status === 200 ? { object: 'list', model, data, usage } : { error: { message: 'no' } };
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, requests, faults, close };
}
