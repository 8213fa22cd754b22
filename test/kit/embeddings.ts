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
  requests: {
    authorization?: string;
    model: string;
    input: string[];
    dimensions?: number;
    encoding_format?: string;
  }[];
  /** The statuses of the next answers; 200 when it runs out. */
  faults: number[];
  /** How it answers beyond that; may be changed at any time. */
  manner: Manner;
  close(): Promise<void>;
}

interface Manner {
  /** Vectors are filled up with zeros to so many dimensions, or cut. */
  dimensions?: number;
  /** Before each answer. */
  delayMs?: number;
  /** Instead of the first number of each vector. */
  firstNumber?: unknown;
  /** What a text is made into; the words of MEANINGS unless set. */
  embed?: (text: string) => number[];
  /** Texts that it answers with 400, and with them the whole request. */
  refuses?: (text: string) => boolean;
  /** Texts that it answers with 500, and with them the whole request. */
  fails?: (text: string) => boolean;
  /** Where the answers that are no 200 send the client. */
  location?: string;
  /** Models that it has; any while unset. */
  models?: string[];
}

function vectorFor(text: string, { dimensions, firstNumber, embed = embedWords }: Manner): unknown[] {
  const words = embed(text);
  const vector: unknown[] =
    dimensions === undefined ? words : Array.from({ length: dimensions }, (_, i) => words[i] ?? 0);
  return firstNumber === undefined ? vector : [firstNumber, ...vector.slice(1)];
}

function statusOf(input: readonly string[], { refuses, fails }: Manner): number {
  if (refuses && input.some(refuses)) return 400;
  return fails && input.some(fails) ? 500 : 200;
}

/** What the name of a model ends with: `words-7`. */
function ownDimensions(model: string): number | undefined {
  const number = /-(\d+)$/.exec(model)?.[1];
  return number === undefined ? undefined : Number(number);
}

const base64Of = (vector: unknown[]): string =>
  Buffer.from(Float32Array.from(vector as number[]).buffer).toString('base64');

/** An OpenAI-compatible embeddings endpoint on a free loopback port. */
export async function startEmbeddings(): Promise<EmbeddingsServer> {
  const requests: EmbeddingsServer['requests'] = [];
  const faults: number[] = [];
  const manner: Manner = {};
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(parts).toString()) as EmbeddingsServer['requests'][number];
      const { model, input, encoding_format } = asked;
      requests.push({ ...asked, authorization: request.headers.authorization });
      const isKnown = request.url === '/v1/embeddings' && (manner.models?.includes(model) ?? true);
      const status = isKnown ? (faults.shift() ?? statusOf(input, manner)) : 404;
      const write = encoding_format === 'base64' ? base64Of : (vector: unknown[]) => vector;
      const of = { ...manner, dimensions: asked.dimensions ?? manner.dimensions ?? ownDimensions(model) };
      const data = input
        .map((text, index) => ({ object: 'embedding', index, embedding: write(vectorFor(text, of)) }))
        .reverse();
      const location = status !== 200 && manner.location ? { location: manner.location } : {};
      response.writeHead(status, { 'content-type': 'application/json', ...location });
      const usage = { prompt_tokens: input.length, total_tokens: input.length };
      const answer = status === 200 ? { object: 'list', model, data, usage } : { error: { message: 'no' } };
      setTimeout(() => response.end(JSON.stringify(answer)), manner.delayMs ?? 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, requests, faults, manner, close };
}
