import { describe, expect, it } from 'vitest';
import { classOf, fits, modelClassesOf } from './model-classes.rules.js';

describe('a pattern', () => {
  it.each([
    ['gpt-5', 'gpt-5', true],
    ['openai/GPT-5', '*gpt-5', true],
    ['gpt-5-mini', 'gpt-5', false],
    ['gpt-5-mini', 'gpt-*-mini', true],
    ['aa', 'a*a', true],
    ['a', 'a*a', false],
    ['abcabd', '*b*bd', true],
    ['abc', '*b*b*', false],
    ['a.c', 'a?c', false],
    ['anything', '*', true],
    ['', '*', true],
  ])('%j as %j: %s', (text, pattern, expected) => {
    expect(fits(text, pattern)).toBe(expected);
  });

  it('is compared in no time, however it is made', () => {
    const from = performance.now();
    expect(fits('a'.repeat(100_000), `${'*a'.repeat(500)}*b`)).toBe(false);
    expect(performance.now() - from).toBeLessThan(500);
  });
});

describe('the class of a model', () => {
  it.each([
    ['gpt-5-nano', 'small'],
    ['gpt-5-mini', 'standard'],
    ['gpt-5', 'frontier'],
    ['anthropic/claude-sonnet-4', 'large'],
    ['claude-opus-4', 'frontier'],
    ['meta-llama/Llama-3.3-70B-Instruct', 'standard'],
    ['deepseek-r1-distill-qwen-7b', 'small'],
    ['somebody-elses', 'standard'],
    [undefined, 'standard'],
  ])('%s is %s', (model, expected) => {
    expect(classOf(model, modelClassesOf(undefined))).toBe(expected);
  });

  it('is that of the first pattern that fits', () => {
    const classes = modelClassesOf('[["mine-*", "small"], ["*", "large"]]');
    expect([classOf('mine-1', classes), classOf('gpt-5', classes)]).toEqual(['small', 'large']);
  });

  it.each(['{', '{}', '[["a"]]', '[["a", "huge"]]'])('cannot be said by %s: the start names the variable', (text) => {
    expect(() => modelClassesOf(text)).toThrow('SVCD_MODEL_CLASSES');
  });
});
