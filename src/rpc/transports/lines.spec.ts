import { describe, expect, it } from 'vitest';
import { LineSplitter, type Line } from './lines.js';

/** What a splitter of lines of at most 8 bytes makes of these chunks. */
function split(...chunks: (string | Uint8Array)[]): (string | false)[] {
  const splitter = new LineSplitter(8);
  const lines: Line[] = [];
  for (const chunk of chunks) lines.push(...splitter.push(Buffer.from(chunk as string)));
  const last = splitter.end();
  if (last) lines.push(last);
  return lines.map((line) => ('bytes' in line ? Buffer.from(line.bytes).toString('latin1') : false));
}

describe('lines', () => {
  it.each<[string, string[], (string | false)[]]>([
    ['end with a line feed', ['a\nb\n'], ['a', 'b']],
    ['may go without it at the end', ['a\nb'], ['a', 'b']],
    ['are put together from chunks', ['a', 'b', 'c\nd', 'e\n'], ['abc', 'de']],
    ['keep their carriage return, which is white space in JSON', ['a\r\nb\r\n'], ['a\r', 'b\r']],
    ['of blanks alone are left out', ['\n', ' \t\r\n', '\n\na\n ', ' '], ['a']],
    ['there are none in nothing', ['', ''], []],
    ['may be as long as they may', ['12345678\n12345678'], ['12345678', '12345678']],
    ['that are longer are reported once, and skipped', ['123456789\na\n'], [false, 'a']],
    ['that are longer may come in many chunks', ['12345', '6789', 'more', 'and more', '\na'], [false, 'a']],
    ['that are longer may be the last', ['a\n123456789'], ['a', false]],
    ['of blanks that are longer are too long all the same', ['         \na'], [false, 'a']],
  ])('%s', (_what, chunks, expected) => {
    expect(split(...chunks)).toEqual(expected);
  });

  it('come as the bytes that were sent, whatever they are', () => {
    expect(split(Uint8Array.of(0xff, 0x0a, 0xc3), Uint8Array.of(0xa9, 0x0a))).toEqual(['\xff', '\xc3\xa9']);
  });

  it('that are too long leave nothing in memory', () => {
    const splitter = new LineSplitter(8);
    const chunk = Buffer.alloc(1024, 'x');
    const counts = Array.from({ length: 1000 }, () => [...splitter.push(chunk)].length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    expect(JSON.stringify(splitter).length).toBeLessThan(200);
  });

  it('are the same however their bytes are cut', () => {
    const text = '{"a":1}\n\n123456789\n"b"\r\nlast';
    const whole = split(text);
    for (let size = 1; size < text.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        text.slice(n * size, (n + 1) * size),
      );
      expect([size, split(...chunks)]).toEqual([size, whole]);
    }
  });
});
