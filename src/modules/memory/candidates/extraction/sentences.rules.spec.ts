import { expect, it } from 'vitest';
import { sentencesOf } from './sentences.rules.js';

it('leaves out what is too short or too long to be a statement', () => {
  expect([...sentencesOf(`ok\n${'x'.repeat(1_001)}\nthis one`)].map(({ text }) => text)).toEqual(['this one']);
});

it('takes no keyword for a speaker, and sees an open box', () => {
  const [todo, box] = [...sentencesOf('Decision: go on\n* [ ] call Ada')];
  expect([todo!.speaker, todo!.text, box!.isTodo, box!.text]).toEqual([undefined, 'Decision: go on', true, 'call Ada']);
});
