import { describe, expect, it } from 'vitest';
import { resultOf, wordsOf, wordsOfTask } from './cases.rules.js';

describe('how a case went', () => {
  it.each([
    [{}, { success: true, reward: 1 }],
    [{ success: true }, { success: true, reward: 1 }],
    [{ success: false }, { success: false, reward: 0 }],
    [{ reward: 0.5 }, { success: true, reward: 0.5 }],
    [{ reward: 0.25 }, { success: false, reward: 0.25 }],
    [
      { success: false, reward: 1 },
      { success: false, reward: 1 },
    ],
  ])('%j is %j', (said, result) => {
    expect(resultOf(said)).toEqual(result);
  });
});

describe('the words of a case', () => {
  it('are those of task, context and action, counted, without stop words', () => {
    const { terms, length } = wordsOf({
      task: 'Deploy the site',
      context: 'staging',
      action: 'deployed by the script',
    });
    expect([...terms]).toEqual([...wordsOfTask('deploy site staging deploy script')]);
    expect(length).toBe(5);
  });

  it('are none for signs alone', () => {
    expect(wordsOfTask('the !').size).toBe(0);
  });
});
