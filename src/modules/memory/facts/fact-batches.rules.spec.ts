import { describe, expect, it } from 'vitest';
import { namedDigest } from '../../../evidence/digest.js';
import { factLeaf } from '../../../evidence/fact-leaf.js';
import { rootOfLeaves } from '../../../evidence/leaf-tree.js';
import { signReceipt } from '../../../evidence/receipt.js';
import { SigningKey } from '../../../evidence/signing-key.js';
import { boundRow, isBoundBy, openBatch } from './fact-batches.rules.js';
import type { BoundRow } from './facts.types.js';

const AT = '2026-11-20T10:00:00.000Z';
const RECEIPT = '00000000-0000-8000-8000-000000000000';
const rowOf = (index: number): BoundRow => ({
  seq: String(index),
  fact_id: `00000000-0000-7000-8000-00000000000${index}`,
  owner: '',
  entity: 'e',
  key: `k${index}`,
  version: 1,
  value: 'v',
  tombstone: false,
  actor: 'a',
  actor_claimed: false,
  written_by: 'sub:a',
  // As the database writes the float next to it.
  confidence: 0.1,
  horizon_class: 'durable',
  tenant_hash: null,
  source_receipt: null,
  sources_digest: null,
  stored_at: new Date(AT),
  valid_from: null,
  valid_to: new Date(AT),
  receipt_id: RECEIPT,
  leaf_index: index,
});
const ROWS = [0, 1, 2].map(rowOf);
const LEAVES = ROWS.map((row) => factLeaf(boundRow(row)));

const receiptOf = (body: object, kind = 'fact.batch'): Uint8Array =>
  signReceipt(
    {
      ...{
        kind,
        tenant_id: 't',
        stream: 'facts',
        seq: 1,
        prev: null,
        occurred_at: AT,
        actor: 'a',
        auth_mode: 'jwt_hs256',
      },
      ...{ subject: 'facts', body: { ...body } },
    },
    SigningKey.generate(),
  ).cose;
const BODY = { count: 3, root: namedDigest('sha256', rootOfLeaves(LEAVES)) };
const STORED = { cose: receiptOf(BODY), facts: ROWS.map(({ fact_id }) => fact_id), leaves: Buffer.concat(LEAVES) };

describe('a batch', () => {
  it('opens when its leaves make the root of its receipt', () => {
    expect(openBatch(STORED)).toMatchObject({ facts: STORED.facts, occurredAt: AT });
  });

  it.each([
    ['no such receipt', { cose: null }],
    ['leaves are gone', { facts: null, leaves: null }],
    ['do not make the root', { leaves: Buffer.concat(LEAVES.toReversed()) }],
    ['do not make the root', { facts: STORED.facts.slice(1) }],
    ['do not make the root', { cose: receiptOf({ ...BODY, count: 2 }) }],
    ['of another kind', { cose: receiptOf(BODY, 'fact.other') }],
  ])('is refused: %s', (reason, change) => {
    expect(() => openBatch({ ...STORED, ...change })).toThrow(reason);
  });

  it('binds a record at its place, with all it says', () => {
    const batch = openBatch(STORED);
    for (const row of ROWS) expect(isBoundBy(row, batch)).toBe(true);
    const row = ROWS[1]!;
    const changes: Partial<BoundRow>[] = [
      { value: 'w' },
      { version: 2 },
      { stored_at: new Date(0) },
      { leaf_index: 2 },
      { leaf_index: 9 },
      { leaf_index: null },
      { fact_id: ROWS[0]!.fact_id },
      { confidence: 0.2 },
      { valid_to: null },
      { written_by: null },
    ];
    for (const change of changes) expect([change, isBoundBy({ ...row, ...change }, batch)]).toEqual([change, false]);
  });

  it.each([
    ['a deletion', true, true],
    ['a fact', false, false],
  ])('binds %s whose confidence was signed in its fewest digits: %s', (_, tombstone, isBound) => {
    const row = { ...rowOf(0), tombstone, confidence: 0.95 };
    const leaves = [factLeaf({ ...boundRow(row), confidence: 0.95 })];
    const cose = receiptOf({ count: 1, root: namedDigest('sha256', rootOfLeaves(leaves)) });
    const batch = openBatch({ cose, facts: [row.fact_id], leaves: Buffer.concat(leaves) });
    expect(isBoundBy(row, batch)).toBe(isBound);
    expect(isBoundBy({ ...row, confidence: 0.94 }, batch)).toBe(false);
  });
});
