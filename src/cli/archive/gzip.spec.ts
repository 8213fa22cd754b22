import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gzipMembers } from './gzip.js';

async function* pieces(...content: Buffer[]): AsyncGenerator<Buffer> {
  yield* content;
}

const gzipped = async (source: AsyncIterable<Buffer>): Promise<Buffer> => {
  const members: Buffer[] = [];
  for await (const member of gzipMembers(source)) members.push(member);
  return Buffer.concat(members);
};

describe('gzip in members', () => {
  it('is read as one, in the order of the source', async () => {
    const content = Array.from({ length: 40 }, () => randomBytes(300_000));
    expect(gunzipSync(await gzipped(pieces(...content))).equals(Buffer.concat(content))).toBe(true);
  });

  it('ends with the error of the source', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      for (let n = 0; n < 5; n += 1) yield randomBytes(1024 * 1024);
      throw new Error('the source failed');
    }
    await expect(gzipped(failing())).rejects.toThrow('the source failed');
  });
});
