import { expect, it } from 'vitest';
import { caseText, factText, shareOf, workText } from './item-texts.rules.js';

it('a fact is its entity, key and value', () => {
  expect(factText({ entity: 'shop', key: 'port', value: '80' })).toBe('shop port: 80');
});

it('a case says how it went, and nothing of what was not said', () => {
  const texts = { task: 'T', action: 'A', outcome: 'O', context: '', lesson: null, success: false };
  expect(caseText(texts)).toBe('Task: T\nAction: A\nOutcome (failure): O');
  expect(caseText({ ...texts, context: 'C', lesson: 'L', success: true })).toBe(
    'Task: T\nContext: C\nAction: A\nOutcome (success): O\nLesson: L',
  );
});

it('work is a card with its state', () => {
  const item = { title: 'Fix', state: 'ready', priority: 1, assignee_passport: null };
  expect(workText(item)).toBe('Fix (ready, priority 1)');
  expect(workText({ ...item, assignee_passport: 'codex:7' })).toBe('Fix (ready, priority 1, codex:7)');
});

it('a share of words is of those wanted', () => {
  expect(shareOf(new Set(['a', 'b']), ['b', 'c', 'b'])).toBe(0.5);
  expect(shareOf(new Set(), ['b'])).toBe(0);
});
