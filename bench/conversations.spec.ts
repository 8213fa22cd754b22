import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeConversations } from './conversation-maker.js';
import { readConversations } from './conversations.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-conversations-'))));
afterEach(() => rmSync(folder, { recursive: true }));
const put = (name: string, value: unknown): void => writeFileSync(join(folder, name), JSON.stringify(value));

describe('a set in the layout of LoCoMo', () => {
  it('has turns by their ids, captions of images, and evidence that names several turns in one text', () => {
    put('set.json', [
      {
        sample_id: 'conv-1',
        conversation: {
          ...{ speaker_a: 'Ann', speaker_b: 'Ben', session_1_date_time: '1 May', session_2_date_time: '2 May' },
          session_1: [{ speaker: 'Ann', dia_id: 'D1:1', text: 'Look', blip_caption: 'a red kite' }],
          session_2: [{ speaker: 'Ben', dia_id: 'D2:1', text: 'Nice' }],
        },
        qa: [
          { question: 'What?', answer: 'a kite', evidence: ['D1:1; D2:1'], category: 1 },
          { question: 'Nothing?', answer: 'no', evidence: ['D9:9'], category: 5 },
        ],
      },
    ]);
    const { layout, conversations, unmeasured } = readConversations(folder);
    expect([layout, unmeasured]).toEqual(['locomo', 1]);
    expect(conversations[0]!.turns[0]).toEqual({
      ...{ id: 'D1:1', session: 'session_1', date: '1 May', speaker: 'Ann', text: 'Look [image: a red kite]' },
    });
    expect([...conversations[0]!.questions[0]!.evidence]).toEqual(['D1:1', 'D2:1']);
  });
});

describe('a set in the layout of LongMemEval', () => {
  it('has a haystack for each question, and evidence where a turn has the answer', () => {
    put('set.json', [
      {
        ...{ question_id: 'q1', question_type: 'multi-session', question: 'Where?', answer: 'there' },
        ...{ haystack_session_ids: ['s1'], haystack_dates: ['2023/01/01'] },
        haystack_sessions: [
          [
            { role: 'user', content: 'I live there', has_answer: true },
            { role: 'assistant', content: 'Fine' },
          ],
        ],
      },
    ]);
    const { layout, conversations } = readConversations(folder);
    expect(layout).toBe('longmemeval');
    expect(conversations[0]!.turns.map(({ id }) => id)).toEqual(['s1:0', 's1:1']);
    expect([...conversations[0]!.questions[0]!.evidence]).toEqual(['s1:0']);
  });
});

it('a folder of neither is refused, and one without files', () => {
  expect(() => readConversations(folder)).toThrow('no .json');
  put('set.json', [{ a: 1 }]);
  expect(() => readConversations(folder)).toThrow('neither layout');
  writeFileSync(join(folder, 'set.json'), '[');
  expect(() => readConversations(folder)).toThrow(/^set.json is no JSON: /);
});

it('a set without a question that can be measured is refused', () => {
  const session_1 = [{ speaker: 'Ann', dia_id: 'D1:1', text: ' ' }];
  put('set.json', [{ conversation: { session_1 }, qa: [{ question: 'What?', evidence: ['D1:1', 'D9:9'] }] }]);
  expect(() => readConversations(folder)).toThrow(/no question names evidence/);
});

it('a made set is the same for the same seed, and can be measured whole', () => {
  const set = makeConversations({ seed: 7, conversations: 2, sessions: 4 });
  expect(makeConversations({ seed: 7, conversations: 2, sessions: 4 })).toEqual(set);
  expect(makeConversations({ seed: 8, conversations: 2, sessions: 4 })).not.toEqual(set);
  put('set.json', set);
  const { conversations, unmeasured } = readConversations(folder);
  expect([conversations.length, unmeasured]).toEqual([2, 0]);
  expect(conversations[0]!.questions.length).toBeGreaterThan(5);
});
