import { describe, expect, it } from 'vitest';
import { markdownOf } from './storybook-pages.rules.js';
import { sentenceText } from './markdown-text.rules.js';
import { statsOf, storybookOf } from './storybook-sections.rules.js';
import { SECTION_IDS, type StorybookSources } from './storybooks.types.js';

const AT = new Date('2026-11-25T12:00:00Z');
const fact = (
  key: string,
  value: string,
  topic: StorybookSources['facts'][number]['topic'] = 'other',
  more: object = {},
) => ({
  ...{ factId: `f-${key}`, entity: 'project:shop', key, value, isCut: false, name: key, topic, actor: 'ada' },
  ...{ confidence: 1, version: 1, storedAt: AT, receiptId: 'r-fact' },
  ...more,
});
const item = (workId: string, state: string, more: object = {}) => ({
  ...{
    workId,
    title: `Do ${workId}`,
    state,
    priority: 1,
    assignee: null,
    blockerKind: null,
    blockerReason: null,
    openBlockers: 0,
    version: 2,
  },
  ...more,
});
const gate = (actionId: string, status: string, more: object = {}) => ({
  ...{ actionId, workId: 'w1', title: 'Do w1', to: 'done', status, requestedBy: 'ada', requestedAt: AT, expiresAt: AT },
  ...{ decidedBy: status === 'pending' ? null : 'bob', decidedAt: status === 'pending' ? null : AT, reason: null },
  ...{ requestReceipt: 'r-asked', decisionReceipt: status === 'pending' ? null : 'r-decided' },
  ...more,
});
const sources = (more: Partial<StorybookSources> = {}): StorybookSources => ({
  project: {
    ...{ id: 'shop', name: 'Shop', planningTarget: null, defaultPassport: 'ada', workingTenants: [], isDefault: false },
    ...{ archived: false, receipts: ['r-project'] },
  },
  ...{ people: [], planes: [], repos: [], layers: [], facts: [], work: [], moves: [], gates: [], dossiers: [] },
  ...more,
});
const stated = (id: string, more: Partial<StorybookSources>) =>
  storybookOf(sources(more)).sections.find((section) => section.id === id)!.statements;
const textsOf = (id: string, more: Partial<StorybookSources>) => stated(id, more).map(sentenceText);

const FULL = sources({
  planes: [{ id: 'api', name: 'API', description: 'The back', receipts: ['r-plane'] }],
  people: [{ passport: 'ada', role: 'lead', planeId: null, receipts: ['r-project'] }],
  repos: [{ repo: 'acme/shop', planeId: 'api', role: null, receipts: ['r-plane'] }],
  layers: [
    {
      factId: 'l1',
      name: 'style',
      planeId: null,
      version: 3,
      content: 'Use tabs.\nAlways.',
      isCut: false,
      hash: 'blake3:0',
      storedAt: AT,
      receiptId: null,
    },
  ],
  facts: [
    fact('port', '80'),
    fact('decision:db', 'PostgreSQL', 'decisions'),
    fact('risk', 'Load', 'risks'),
    fact('question', 'Tax?', 'questions'),
    fact('owner', 'Ada', 'people', { confidence: 0.5 }),
  ],
  work: [
    item('w1', 'in_review', { assignee: 'ada' }),
    item('w2', 'blocked', { blockerKind: 'needs_info', blockerReason: 'Which?' }),
    item('w3', 'ready', { openBlockers: 2 }),
  ],
  moves: [
    {
      workId: 'w1',
      title: 'Do w1',
      version: 2,
      from: 'ready',
      to: 'in_review',
      passport: 'ada',
      receiptId: 'r-move',
      at: AT,
    },
  ],
  gates: [gate('g1', 'pending'), gate('g2', 'approved', { reason: 'fine' })],
  dossiers: [
    {
      ...{ dossierId: 'd1', agentPassport: 'codex', receiptId: 'r-dossier', openQuestions: ['Why?'] },
      claims: [
        {
          claim_id: 'a',
          text: 'Old.',
          confidence: null,
          anchors: [
            {
              kind: 'chunk',
              id: 'chk_1',
              start: null,
              end: null,
              quote_blake3: null,
              state: 'drifted',
              rivals: [],
              subject: '',
            },
          ],
          state: 'stale',
          why: 'gone',
        },
        { claim_id: 'b', text: 'Loose.', confidence: null, anchors: [], state: 'unsupported', why: 'nothing' },
        { claim_id: 'c', text: 'Fine.', confidence: null, anchors: [], state: 'supported' },
      ],
    },
  ],
});

describe('a storybook', () => {
  it('has its sections in one order, whatever is known', () => {
    for (const given of [sources(), FULL])
      expect(storybookOf(given).sections.map(({ id }) => id)).toEqual([...SECTION_IDS]);
  });

  it('says of each statement what it rests on, and shows that once in its evidence', () => {
    const { sections } = storybookOf(FULL);
    const evidence = sections.at(-1)!.statements.map(({ id }) => id);
    const anchored = sections.slice(0, -1).flatMap(({ statements }) => statements);
    expect(anchored.filter(({ anchors }) => anchors.length === 0)).toEqual([]);
    const names = anchored.flatMap(({ anchors }) => anchors.map(({ kind, id }) => `${kind}/${id}`));
    expect(evidence).toEqual([...new Set(names)].sort());
    expect(statsOf({ title: '', sections })).toMatchObject({
      facts: 5,
      layers: 1,
      work: 3,
      chunks: 1,
      statements: anchored.length,
    });
  });

  it('names each statement once in its section, by what it is about', () => {
    for (const { statements } of storybookOf(FULL).sections) {
      const ids = statements.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)]);
    }
    expect(stated('overview', { facts: [fact('port', '80')] })[2]!.id).toBe(
      stated('overview', { facts: [fact('port', '81', 'other', { factId: 'f2' })] })[2]!.id,
    );
  });

  it('begins every sentence with words of its own, so that no value begins a block', () => {
    const all = storybookOf(FULL).sections.flatMap(({ statements }) => statements);
    expect(all.filter(({ parts }) => !/^[A-Z]/.test(parts[0] === '' ? parts[1]! : parts[0]!))).toEqual([]);
  });

  it('puts what is known in its place', () => {
    expect(textsOf('people', FULL)).toEqual([
      'The passport ada is a member in the role lead.',
      'Known with confidence 0.5, owner: Ada',
      'The passport ada has 1 open item of work.',
    ]);
    expect(textsOf('decisions', FULL)).toEqual([
      'Decided, decision:db: PostgreSQL',
      'The passport bob approved the move of Do w1 to done that ada asked for: fine',
    ]);
    expect(textsOf('risks', FULL)).toEqual([
      'At risk, risk: Load',
      'The item Do w2 is blocked: Which?',
      'The item Do w3 waits for 2 other items of work.',
      'A claim of codex is stale (gone): Old.',
    ]);
    expect(textsOf('open-questions', FULL)).toEqual([
      'Asked, question: Tax?',
      'The item Do w2 needs information: Which?',
      'The passport ada asks whether Do w1 may become done, until 2026-11-25T12:00:00.000Z.',
      'The agent codex asks: Why?',
      'The agent codex claims without saying what it rests on: Loose.',
    ]);
    expect(stated('overview', FULL).find(({ id }) => id === 'layer//style')).toMatchObject({
      block: 'Use tabs.\nAlways.',
    });
  });

  it('states what happened newest first, in an order of its own where times are equal', () => {
    const moves = ['b', 'a'].map((workId) => ({ ...FULL.moves[0]!, workId }));
    const later = { ...FULL.moves[0]!, workId: 'c', at: new Date(AT.getTime() + 1) };
    const idsOf = (given: typeof moves) => stated('timeline', { moves: given }).map(({ id }) => id);
    expect(idsOf([...moves, later])).toEqual(['move/c/2', 'move/a/2', 'move/b/2']);
    expect(idsOf([later, ...moves].reverse())).toEqual(idsOf([...moves, later]));
  });

  it('holds so much of each section, and says that there is more', () => {
    const book = storybookOf(sources({ work: Array.from({ length: 501 }, (_, i) => item(`w${i}`, 'ready')) }));
    const work = book.sections.find(({ id }) => id === 'work')!;
    expect([work.statements.length, work.cut]).toEqual([500, true]);
    expect(markdownOf(book)).toContain('There is more than is shown here.');
  });
});
