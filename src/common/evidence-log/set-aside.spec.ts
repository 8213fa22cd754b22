import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { digestOfId, digestOfVersion } from './set-aside.js';

const sha256 = (...parts: (string | Buffer)[]): string =>
  `sha256:${createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest('hex')}`;
const bytes = (hex: string) => Buffer.from(hex, 'hex');

/** As docs/formats/receipts.md, "Quarantine", says it, byte for byte. */
describe('what is set aside', () => {
  it('is a fact or a case by its id', () => {
    const id = '0198c1de-6f1e-7c3a-9a53-2f4e1f0b7c11';
    expect(digestOfId('fact', id)).toBe(sha256(bytes('8264'), 'fact', bytes('7824'), id));
    expect(digestOfId('case', id)).toBe(sha256(bytes('8264'), 'case', bytes('7824'), id));
  });

  it('is a version of a document by its passages, in whatever order they are read', () => {
    const version = { corpusId: 'handbook', docId: 'emu', version: 2 };
    const expected = sha256(
      ...[bytes('8568'), 'document', bytes('68'), 'handbook', bytes('63'), 'emu', bytes('02')],
      ...[bytes('8266'), 'chk_05', bytes('66'), 'chk_aa'],
    );
    expect(digestOfVersion({ ...version, chunkIds: ['chk_aa', 'chk_05'] })).toBe(expected);
    expect(digestOfVersion({ ...version, chunkIds: ['chk_05', 'chk_aa'] })).toBe(expected);
  });
});
