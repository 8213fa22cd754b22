import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** Uncompressed bytes of a member. */
const MEMBER_BYTES = 1024 * 1024;

/**
 * Compresses to gzip in members (RFC 1952, section 2.2), side by side on all processors; whoever reads gzip reads them
 * as one. The members are in the order of the source, and no more of them are held than are being compressed.
 */
export async function* gzipMembers(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const members: Promise<Buffer>[] = [];
  for await (const piece of piecesOf(source)) {
    const member = compress(piece, { level: 4 });
    // Who waits for it gets its error; where nobody does any more, another one came before.
    member.catch(() => undefined);
    members.push(member);
    if (members.length > availableParallelism()) yield await members.shift()!;
  }
  for (const member of members) yield await member;
}

async function* piecesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    held.push(chunk);
    size += chunk.length;
    if (size < MEMBER_BYTES) continue;
    yield Buffer.concat(held);
    [held, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(held);
}
