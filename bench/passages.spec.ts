import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { syntheticText, textFromFolder, type TextSource } from './passages.js';

function checkShape(source: TextSource, again: TextSource): void {
  expect(source.passage(7)).toEqual(again.passage(7));
  expect(source.query(7)).toBe(again.query(7));
  expect(source.passage(7).content).not.toBe(source.passage(8).content);
  expect(source.passage(3).content.split(' ')).toHaveLength(150);
  expect(source.query(3).split(' ')).toHaveLength(20);
  expect(source.passage(3).content).not.toContain(source.query(3));
}

describe('made-up text', () => {
  const source = syntheticText();

  it('is the same for the same number, and has the lengths promised', () => checkShape(source, syntheticText()));

  it('follows Zipf: a few words make up much of it, and most occur rarely', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 200; i++)
      for (const word of source
        .passage(i)
        .content.toLowerCase()
        .match(/[a-z]+/g)!)
        counts.set(word, (counts.get(word) ?? 0) + 1);
    const sorted = [...counts.values()].sort((a, b) => b - a);
    const total = sorted.reduce((sum, count) => sum + count, 0);
    const top100 = sorted.slice(0, 100).reduce((sum, count) => sum + count, 0) / total;
    expect(top100).toBeGreaterThan(0.35);
    expect(top100).toBeLessThan(0.6);
    expect(sorted.filter((count) => count === 1).length / sorted.length).toBeGreaterThan(0.3);
  });
});

describe('text of a folder', () => {
  it('draws its sentences', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-text-'));
    const sentences = Array.from({ length: 120 }, (_, i) => `Sentence ${i} has quite a few words in it.`);
    writeFileSync(join(folder, 'corpus.jsonl'), JSON.stringify({ id: '1', title: 't', text: sentences.join(' ') }));
    const source = textFromFolder(folder);
    checkShape(source, textFromFolder(folder));
    expect(sentences).toContain(source.passage(1).content.slice(0, source.passage(1).content.indexOf('.') + 1));
    writeFileSync(join(folder, 'corpus.jsonl'), '{"id":"1","text":"Too little text here."}');
    expect(() => textFromFolder(folder)).toThrow('holds 1 sentences of text');
    rmSync(folder, { recursive: true });
  });
});
