/** An answer is longer than a server of that kind answers. */
export class AnswerTooLong extends Error {}

/** An answer of `fetch`, or of undici. */
interface Answer {
  readonly body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null;
}

/** The body of an answer. @throws AnswerTooLong */
export async function readAtMost(answer: Answer, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const bytes = await readBeyond(answer, maxBytes);
  if (bytes.length > maxBytes) throw new AnswerTooLong(`its answer is longer than ${maxBytes} bytes`);
  return bytes;
}

/** The body of an answer, or its beginning: no more is read once it has more bytes than that. */
export async function readBeyond({ body }: Answer, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks);
}
