import { expect, it } from 'vitest';
import { blake3Digest } from '../../../evidence/digest.js';
import { sentenceText } from './markdown-text.rules.js';
import { evidenceOf } from './storybook-evidence.rules.js';
import type { StorybookSources } from './storybooks.types.js';

const known = {
  facts: [{ factId: 'f', entity: 'e', key: 'k', version: 2, value: 'v', isCut: false, receiptId: 'r' }],
  layers: [{ factId: 'l', name: 'style', planeId: 'api', version: 1, hash: 'blake3:0', receiptId: null }],
  work: [{ workId: 'w', title: 'Do', version: 3 }],
} as unknown as StorybookSources;

it('evidence is of everything once, with digest, receipt and address', () => {
  const anchors = [
    { kind: 'work', id: 'w' },
    { kind: 'fact', id: 'f' },
    { kind: 'fact', id: 'f' },
    { kind: 'layer', id: 'l' },
    { kind: 'receipt', id: 'r' },
    { kind: 'chunk', id: 'c' },
    { kind: 'fact', id: 'other' },
  ] as const;
  expect(evidenceOf(known, anchors).map(sentenceText)).toEqual([
    'The passage c.',
    `Fact k of e in version 2, ${blake3Digest('v')}, bound by receipt r: GET /v1/facts/f.`,
    'A fact: GET /v1/facts/other.',
    `Layer style of api in version 1, blake3:0: GET /v1/facts/l.`,
    'A receipt: GET /v1/receipts/r.',
    'Work item Do in version 3: GET /v1/work/w.',
  ]);
});

it('a value of which only the beginning is there has no digest', () => {
  const facts = [{ ...known.facts[0]!, isCut: true }];
  expect(sentenceText(evidenceOf({ ...known, facts }, [{ kind: 'fact', id: 'f' }])[0]!)).not.toContain('blake3');
});
