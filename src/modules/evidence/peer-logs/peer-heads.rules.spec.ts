import { describe, expect, it } from 'vitest';
import { parseCheckpoint } from '../../../evidence/checkpoint.js';
import { emptyRoot, leafHash, nodeHash } from '../../../evidence/merkle.js';
import { SigningKey } from '../../../evidence/signing-key.js';
import { judgeHead, judgeRequest, ownLines } from './peer-heads.rules.js';
import { signCheckpoint, signNote } from '../../../../test/kit/signed-forms.js';

const ORIGIN = 'a.example/log/1';
const key = SigningKey.generate();
const [one, two, three] = ['1', '2', '3'].map((text) => leafHash(Buffer.from(text))) as [Buffer, Buffer, Buffer];
const pair = nodeHash(one, two);
const ROOTS = [emptyRoot(), one, pair, nodeHash(pair, three)];
const seenAt = (size: number) => ({ origin: ORIGIN, size, root: ROOTS[size]! });
const headOf = (size: number, root = ROOTS[size]!) => parseCheckpoint(signCheckpoint(ORIGIN, { size, root }, key));

describe('a head that a peer shows', () => {
  it.each([
    ['the first', null, headOf(2), 0, [], 'extends'],
    ['the same', seenAt(2), headOf(2), 2, [], 'extends'],
    ['a larger one', seenAt(2), headOf(3), 2, [three], 'extends'],
    ['one asked for before another was seen', seenAt(2), headOf(3), 1, [two, three], 'outdated'],
    ['a smaller one, asked for before another was seen', seenAt(3), headOf(2), 2, [], 'outdated'],
  ] as const)('is judged: %s', (_, seen, head, from, proof, verdict) => {
    expect(judgeHead(seen, head, { from, proof })).toBe(verdict);
  });

  it.each([
    ['a smaller one', seenAt(3), headOf(2), 3, [], 'rolled_back'],
    ['none any more', seenAt(3), headOf(0), 3, [], 'rolled_back'],
    ['another of the size', seenAt(2), headOf(2, three), 2, [], 'split'],
    ['another of the size, whatever it was asked from', seenAt(2), headOf(2, three), 1, [], 'split'],
    ['one that does not extend it', seenAt(2), headOf(3, one), 2, [three], 'split'],
    ['one without its proof', seenAt(2), headOf(3), 2, [], 'split'],
  ] as const)('is noticed: %s', (_, seen, head, from, proof, state) => {
    expect(judgeHead(seen, head, { from, proof })).toMatchObject({ state });
  });
});

describe('a request to the witness', () => {
  it.each([
    ['an old size past the checkpoint', seenAt(3), headOf(2), 3, [], { status: 400 }],
    ['another old size', seenAt(2), headOf(3), 1, [two, three], { status: 409, size: 2 }],
    ['an old size of a log that was never seen', null, headOf(3), 1, [], { status: 409, size: 0 }],
    ['a root of no leaves', null, headOf(0, one), 0, [], { status: 422 }],
    ['a proof from nothing', null, headOf(2), 0, [one], { status: 422 }],
    ['another root of the size', seenAt(2), headOf(2, one), 2, [], { status: 422 }],
    ['a proof that leads elsewhere', seenAt(2), headOf(3), 2, [one], { status: 422 }],
    ['what extends it', seenAt(2), headOf(3), 2, [three], { status: 200 }],
    ['the same again', seenAt(2), headOf(2), 2, [], { status: 200 }],
  ] as const)('is answered: %s', (_, seen, head, from, proof, verdict) => {
    expect(judgeRequest(seen, head, { from, proof })).toMatchObject(verdict);
  });
});

describe('the lines of a log', () => {
  const text = `${ORIGIN}\n0\n${Buffer.from(emptyRoot()).toString('base64')}\n`;
  const other = SigningKey.generate();
  const linesOf = (note: string) => ownLines(parseCheckpoint(note), [key.publicKey]).length;

  it('are those by its keys, under its origin', () => {
    expect(linesOf(signNote(text, ORIGIN, key))).toBe(1);
    expect(linesOf(signNote(text, ORIGIN, other, key))).toBe(1);
    expect(linesOf(signNote(text, ORIGIN, other))).toBe(0);
    expect(linesOf(signNote(text, 'other.example', key))).toBe(0);
  });

  it('are none where one of them does not hold', () => {
    const [good, bad] = [signNote(text, ORIGIN, key), signNote(text.replace('0', '1'), ORIGIN, key)];
    expect(linesOf(good + bad.split('\n\n')[1]!)).toBe(0);
  });
});
