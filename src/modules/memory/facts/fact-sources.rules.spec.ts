import { describe, expect, it } from 'vitest';
import type { PassageNow } from '../../knowledge/citations/source-states.types.js';
import { chosenSource, type SeenSource, sourceNow } from './fact-sources.rules.js';
import type { FactSource } from './fact-sources.types.js';

const seen = (also: Partial<SeenSource>): SeenSource => ({
  ...{ id: 'x', kind: 'fact', version: 1, digest: null, owner_tenant_id: null, corpus_id: null, doc_id: null },
  ...{ fact_found: false, current_fact_id: null, answer_version: null, text_digest: null, passage_there: null },
  ...also,
});
const passage = (state: PassageNow['state'], chunkId?: string): PassageNow =>
  ({ state, version: 2, standing: chunkId === undefined ? null : { chunkId }, drift: [] }) as unknown as PassageNow;

describe('a source of a fact', () => {
  it.each([
    ['a fact that is current', seen({ fact_found: true, current_fact_id: 'x' }), { state: 'holds' }],
    ['a superseded fact', seen({ fact_found: true, current_fact_id: 'y' }), { state: 'changed', new_id: 'y' }],
    ['a deleted fact', seen({ current_fact_id: 'y' }), { state: 'gone' }],
    ['an answer', seen({ kind: 'answer', answer_version: 1 }), { state: 'holds' }],
    ['an answer with a newer version', seen({ kind: 'answer', answer_version: 2 }), { state: 'changed' }],
    ['an erased answer', seen({ kind: 'answer' }), { state: 'gone' }],
    ['a document', seen({ kind: 'document', digest: 'd', text_digest: 'd' }), { state: 'holds' }],
    ['a document with other text', seen({ kind: 'document', digest: 'd', text_digest: 'e' }), { state: 'changed' }],
    ['a deleted document', seen({ kind: 'document', digest: 'd' }), { state: 'gone' }],
    ['a receipt', seen({ kind: 'receipt' }), { state: 'holds' }],
  ])('%s', (_, source, now) => {
    expect(sourceNow(source)).toEqual({ id: 'x', kind: source.kind, ...now });
  });

  it.each([
    ['holds', 'x', null, { state: 'holds' }],
    ['holds', 'y', null, { state: 'holds', new_id: 'y' }],
    ['drifted', undefined, 'z', { state: 'changed', new_id: 'z' }],
    ['drifted', undefined, null, { state: 'changed' }],
    ['unknown', 'x', null, { state: 'changed' }],
    ['unavailable', undefined, 'z', { state: 'gone' }],
  ] as const)('a passage that %s, standing as %s', (state, standing, there, now) => {
    const source = seen({ kind: 'passage', passage_there: there });
    expect(sourceNow(source, passage(state, standing))).toEqual({ id: 'x', kind: 'passage', ...now });
  });

  it('is of the first kind that its id names', () => {
    const kinds = (...names: string[]) => names.map((kind) => ({ kind })) as FactSource[];
    expect(chosenSource(kinds('answer', 'fact', 'document'))?.kind).toBe('document');
    expect(chosenSource([])).toBeUndefined();
  });
});
