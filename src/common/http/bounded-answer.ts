/** An answer is longer than a server of that kind answers. */
export class AnswerTooLong extends Error {}

/** An answer of `fetch`, or of undici. */
interface Answer {
  readonly body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null;
}

/** The body of an answer. @throws AnswerTooLong */
export async function readAtMost({ body }: Answer, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new AnswerTooLong(`its answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
