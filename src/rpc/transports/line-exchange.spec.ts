import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LineExchange } from './line-exchange.js';
import type { Line } from './lines.js';

const textOf = (line: Line): string => ('bytes' in line ? Buffer.from(line.bytes).toString() : 'too long');

/**
 * An exchange whose answers are given by hand: `answer('b')` ends the line b with `re: b`, and one that begins with
 * `silent` with nothing.
 */
function startExchange(options: { maxAtOnce?: number; bufferBytes?: number; beforeNext?: () => Promise<void> } = {}) {
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: options.bufferBytes ?? 1_000 });
  const open = new Map<string, (text: string | undefined | Promise<string>) => void>();
  const taken: string[] = [];
  const exchange = new LineExchange({
    input,
    output,
    maxLineBytes: 100,
    maxAtOnce: options.maxAtOnce ?? 3,
    beforeNext: options.beforeNext,
    failed: (error, line) => `${textOf(line)} failed: ${(error as Error).message}`,
    answer: (line) =>
      new Promise((resolve) => {
        taken.push(textOf(line));
        open.set(textOf(line), resolve);
      }),
  });
  let hasEnded = false;
  const ended = exchange.run().then(() => (hasEnded = true));
  return {
    exchange,
    input,
    output,
    taken,
    ended,
    hasEnded: () => hasEnded,
    fail: async (line: string, message: string) => {
      open.get(line)!(Promise.reject(new Error(message)));
      await turn();
    },
    read: () => (output.read() as Buffer | null)?.toString() ?? '',
    answer: async (line: string) => {
      open.get(line)!(line.startsWith('silent') ? undefined : `re: ${line}`);
      await turn();
    },
    send: async (text: string) => {
      input.write(text);
      await turn();
    },
  };
}

describe('an exchange of lines', () => {
  it('answers as calls finish, and ends when the input has ended and all is answered', async () => {
    const { input, send, answer, read, hasEnded, ended } = startExchange();
    await send('a\nb\n');
    input.end('c');
    await turn();
    await answer('c');
    await answer('a');
    expect([read(), hasEnded()]).toEqual(['re: c\nre: a\n', false]);
    await answer('b');
    await ended;
    expect(read()).toBe('re: b\n');
  });

  it('writes nothing for what has no answer', async () => {
    const { input, send, answer, read, ended } = startExchange();
    await send('silent\nb\n');
    await answer('silent');
    input.end();
    await answer('b');
    await ended;
    expect(read()).toBe('re: b\n');
  });

  it('says of a line that its answer failed, and goes on', async () => {
    const { input, send, answer, fail, read, ended, exchange } = startExchange({ maxAtOnce: 1 });
    await send('a\nb\n');
    await fail('a', 'no JSON');
    await answer('b');
    expect([read(), exchange.underWay]).toEqual(['a failed: no JSON\nre: b\n', 0]);
    input.end();
    await ended;
  });

  it('takes only so many lines at once, and does not read on meanwhile', async () => {
    const { input, send, answer, taken } = startExchange();
    await send('a\nb\nc\nd\ne\n');
    let written = 0;
    while (input.write(`${'x'.repeat(50)}\n`) && written < 10_000) written += 1;
    await turn();
    expect(taken).toEqual(['a', 'b', 'c']);
    expect([written < 10_000, input.readableLength > 0]).toEqual([true, true]);
    await answer('b');
    expect(taken).toEqual(['a', 'b', 'c', 'd']);
  });

  it('takes no further lines while the output buffer is full', async () => {
    const { send, answer, output, taken, exchange } = startExchange({ bufferBytes: 4 });
    await send('a\nb\nc\nd\ne\n');
    for (const line of ['a', 'b', 'c']) await answer(line);
    expect([taken, exchange.underWay, exchange.isBlocked]).toEqual([['a', 'b', 'c'], 0, true]);
    const read: string[] = [];
    output.setEncoding('utf8').on('data', (text: string) => read.push(text));
    await once(output, 'drain');
    await turn();
    expect([taken, exchange.isBlocked]).toEqual([['a', 'b', 'c', 'd', 'e'], false]);
    expect(read.join('')).toBe('re: a\nre: b\nre: c\n');
  });

  it('brings what it has to its end, and takes no further line, when the output goes', async () => {
    const { send, answer, taken, ended, output, input } = startExchange({ bufferBytes: 4, maxAtOnce: 2 });
    await send('a\nb\nc\n');
    await answer('a');
    output.destroy();
    input.destroy();
    await turn();
    await answer('b');
    await ended;
    expect(taken).toEqual(['a', 'b']);
  });

  it('takes the second line when it may', async () => {
    const may = Promise.withResolvers<void>();
    const { send, answer, taken } = startExchange({ beforeNext: () => may.promise });
    await send('a\nb\nc\n');
    await answer('a');
    expect(taken).toEqual(['a']);
    may.resolve();
    await turn();
    expect(taken).toEqual(['a', 'b', 'c']);
  });

  it('that is stopped takes no further line, and finishes what it has', async () => {
    const { exchange, send, answer, taken, ended, read, hasEnded } = startExchange({ maxAtOnce: 1 });
    await send('a\nb\n');
    exchange.stop();
    await turn();
    expect(hasEnded()).toBe(false);
    await answer('a');
    await ended;
    expect([taken, read()]).toEqual([['a'], 're: a\n']);
  });

  it('that is stopped while it waits for input ends', async () => {
    const { exchange, ended, send, answer } = startExchange();
    await send('a\n');
    await answer('a');
    exchange.stop();
    await ended;
  });

  it('does not take half a line of an input that broke off', async () => {
    const { input, send, answer, taken, ended } = startExchange();
    await send('a\n{"half":');
    input.destroy(new Error('reset by peer'));
    await answer('a');
    await ended;
    expect(taken).toEqual(['a']);
  });

  it('reports a line that is too long, and goes on', async () => {
    const { send, answer, taken } = startExchange();
    await send(`${'x'.repeat(200)}`);
    await send(`${'x'.repeat(200)}\nb\n`);
    expect(taken).toEqual(['too long', 'b']);
    await answer('b');
  });
});
