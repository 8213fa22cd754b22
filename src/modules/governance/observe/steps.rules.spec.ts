import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { closeDigest, openDigest, placeOf } from './steps.rules.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const names = { sessionId: 's', nodeId: 'n', salt: Buffer.alloc(16, 1) };
const SALT = '01'.repeat(16);

it('digests a step as docs/observe.md says', () => {
  const said = { label: 'l', actor: 'a', kind: 'tool', riskClass: 'high', private: true } as const;
  const opened = { ...names, ...said, parentId: null, tsStart: new Date(0), inputs: [], enrichRef: null };
  expect(openDigest(opened).toString('hex')).toBe(
    sha256(
      `{"actor":"a","enrich_ref":null,"inputs":[],"kind":"tool","label":"l","node_id":"n","parent_id":null,"private":true,"risk_class":"high","salt":"${SALT}","session_id":"s","ts_start":"1970-01-01T00:00:00.000Z"}`,
    ),
  );
  const ended = { status: 'ok', tsEnd: new Date(0), outputs: [], reasoningRef: null } as const;
  const closed = { ...names, ...ended, outputs: [], receiptId: 'r', mutationReceiptId: null };
  expect(closeDigest(closed).toString('hex')).toBe(
    sha256(
      `{"mutation_receipt_id":null,"node_id":"n","outputs":[],"reasoning_ref":null,"receipt_id":"r","salt":"${SALT}","session_id":"s","status":"ok","ts_end":"1970-01-01T00:00:00.000Z"}`,
    ),
  );
});

it('digests a step from before there were salts as it did then', () => {
  const ended = { status: 'ok', tsEnd: new Date(0), reasoningRef: null } as const;
  const closed = { ...names, ...ended, outputs: [], salt: null, receiptId: 'r', mutationReceiptId: null };
  expect(closeDigest(closed).toString('hex')).toBe(
    sha256(
      '{"mutation_receipt_id":null,"node_id":"n","outputs":[],"reasoning_ref":null,"receipt_id":"r","session_id":"s","status":"ok","ts_end":"1970-01-01T00:00:00.000Z"}',
    ),
  );
});

it('sorts places as their numbers', () => {
  expect([placeOf('1'), placeOf('255')]).toEqual(['0000000001', '00000000ff']);
});
