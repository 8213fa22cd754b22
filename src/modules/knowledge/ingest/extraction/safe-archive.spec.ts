import { describe, expect, it } from 'vitest';
import { docxOf, wordXml, zipOf } from '../../../../../test/kit/archives.js';
import { extractFile } from './extract-file.js';
import { SafeArchive } from './safe-archive.js';

const MIB = 1024 * 1024;
const outcomeOf = async (bytes: Buffer) => {
  const outcome = await extractFile({ bytes, fileName: 'a.docx', mediaType: null });
  return 'reason' in outcome ? outcome.reason : outcome.file.text;
};

describe('an archive', () => {
  it('is read within bounds', async () => {
    expect(await outcomeOf(await docxOf(wordXml('A small document.')))).toBe('A small document.\n');
    const archive = await SafeArchive.read(await zipOf({ 'a/b.xml': '<a/>' }));
    expect([archive.has('a/b.xml'), archive.has('a'), archive.text('a/b.xml')]).toEqual([true, false, '<a/>']);
    expect(() => archive.text('c.xml')).toThrow('it has no c.xml');
  });

  it('that grows too much is refused before it is read on', async () => {
    const bomb = await docxOf(wordXml('Small.'), { 'word/media/a.bin': Buffer.alloc(64 * MIB) });
    expect(bomb.length).toBeLessThan(MIB);
    expect(await outcomeOf(bomb)).toMatch(/^The file is refused unread: it grows more than 150 times/);
  });

  it('of too many files is refused', async () => {
    const files = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`word/media/${n}`, 'x']));
    expect(await outcomeOf(await docxOf(wordXml('Small.'), files))).toMatch(/holds more than 10000 files/);
  });

  it('whose sizes are not what it says is refused', async () => {
    const lying = await docxOf(wordXml('Small.'), { 'word/media/a.bin': Buffer.alloc(32 * MIB) });
    // Its directory and its header say one byte: what comes out is counted.
    const size = Buffer.alloc(4);
    size.writeUInt32LE(32 * MIB);
    const one = Buffer.from([1, 0, 0, 0]);
    for (let at = lying.indexOf(size); at !== -1; at = lying.indexOf(size, at + 4)) one.copy(lying, at);
    expect(await outcomeOf(lying)).toMatch(/^The file is (?:damaged or encrypted|refused unread)/);
  });

  it('with entities of its own is refused: a billion laughs', async () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
    const prolog = `<!DOCTYPE d [<!ENTITY l0 "ha">${laughs}]>`;
    expect(await outcomeOf(await docxOf(wordXml('&l9;', prolog)))).toMatch(/^The file declares entities of XML/);
  });

  it('that refers to files of the server reads none of them', async () => {
    const prolog = '<!DOCTYPE d [<!ENTITY f SYSTEM "file:///etc/passwd">]>';
    expect(await outcomeOf(await docxOf(wordXml('&f;', prolog)))).toMatch(/^The file declares entities of XML/);
  });
});
