import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCheckpoint } from '../../../src/evidence/checkpoint.js';
import { blake3, type Digest, namedDigest } from '../../../src/evidence/digest.js';
import { epochOrigin, type LogEpoch } from '../../../src/evidence/log-epoch.js';
import { logLeafHash } from '../../../src/evidence/log-entry.js';
import { inclusionRanges, leafHash } from '../../../src/evidence/merkle.js';
import type { PackParts } from '../../../src/evidence/pack.js';
import { signReceipt, type SignedReceipt } from '../../../src/evidence/receipt.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { appendLeaves, hashOfRange, TileSet } from '../../../src/evidence/tiles.js';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { signCheckpoint, signEpoch, signPack } from '../../kit/signed-forms.js';

/** Plain JavaScript without types, by path: the independent programs are no part of the build. */
const { judge } = (await import(/* @vite-ignore */ join(import.meta.dirname, 'independent-verifier.mjs'))) as {
  judge(file: Uint8Array): { ok: boolean; failed: string | null };
};

const key = SigningKey.generate();
const other = SigningKey.generate();
const NAME = 'log.example/svc';
const root = (text: string): Uint8Array => leafHash(Buffer.from(text));
const headOf = (size: number, text = `tree of ${size}`, origin = epochOrigin(NAME, 1)): string =>
  signCheckpoint(origin, { size, root: root(text) }, key);

const FIRST: LogEpoch = {
  origin: epochOrigin(NAME, 1),
  epoch: 1,
  previousOrigin: null,
  restored: null,
  lastKnown: null,
};
const SECOND: LogEpoch = {
  origin: epochOrigin(NAME, 2),
  epoch: 2,
  previousOrigin: epochOrigin(NAME, 1),
  restored: headOf(5),
  lastKnown: headOf(9),
};

const START = { seq: 1, prev: null };
const began = (epoch: LogEpoch, by = key): SignedReceipt => signEpoch(epoch, START, by);
/** The same receipt, signed again with something changed. */
const beganWith = (changes: Partial<SignedReceipt['payload']>, epoch = SECOND): SignedReceipt => {
  const { payload } = began(epoch);
  const { v: _, body_hash: __, ...fields } = { ...payload, ...changes };
  return signReceipt(fields, key);
};
const beganAs = (body: object): SignedReceipt => beganWith({ body: { ...began(SECOND).payload.body, ...body } });

/** A pack of one receipt whose log begins so. */
function packOf(
  record: SignedReceipt,
  earlier: readonly string[] = [],
  changes: (parts: PackParts) => Partial<PackParts> = () => ({}),
): Uint8Array {
  const one = signReceipt(
    {
      kind: 'test.happened',
      tenant_id: 'acme',
      stream: 'main',
      ...START,
      occurred_at: new Date().toISOString(),
      actor: 'key:1',
      auth_mode: 'api_key',
      subject: 's',
      body: {},
    },
    key,
  );
  const leaves = [record, one].map(({ cose }) => logLeafHash('execution', blake3(cose)));
  leaves.push(root('another'), root('and another'));
  const tiles = new TileSet();
  appendLeaves(0, leaves, tiles);
  const path = (leaf: number): Digest[] =>
    inclusionRanges(leaf, leaves.length).map((range) => namedDigest('sha256', hashOfRange(range, tiles)));
  const head = { size: leaves.length, root: hashOfRange({ start: 0, end: leaves.length }, tiles) };
  const parts: PackParts = {
    checkpoint: signCheckpoint(record.payload.subject, head, key),
    chunks: [],
    consistency: earlier.map((checkpoint) => ({ checkpoint, path: [] })),
    epoch: { cose: Buffer.from(record.cose).toString('base64'), path: path(0) },
    keys: [key.publicKey.toJwk(new Date('2026-01-01'), null)],
    made_at: new Date().toISOString(),
    receipts: [
      { cose: Buffer.from(one.cose).toString('base64'), leaf_index: 1, path: path(1), receipt_id: one.receiptId },
    ],
    retrievals: [],
    statements: [],
    subject: { id: 's', type: 'receipt' },
    tenant_id: 'acme',
  };
  return signPack({ ...parts, ...changes(parts) }, key);
}

const failedStep = (file: Uint8Array): (string | null | undefined)[] => [
  verifyPack(file).checks.find(({ ok }) => !ok)?.name ?? null,
  judge(file).failed,
];
const detailOf = (file: Uint8Array, step: string): string | undefined =>
  verifyPack(file).checks.find(({ name }) => name === step)?.detail;

describe('the epoch of a log, by the product and by the independent program', () => {
  it('is accepted, and said', () => {
    const first = packOf(began(FIRST));
    const second = packOf(began(SECOND));
    expect([failedStep(first), failedStep(second)]).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(detailOf(first, 'epoch')).toBe('log.example/svc/1 is the first epoch');
    expect(detailOf(second, 'epoch')).toBe(
      'log.example/svc/2 follows log.example/svc/1, restored at 5 leaves; at least 4 more leaves of it are lost',
    );
    expect(detailOf(packOf(began({ ...SECOND, lastKnown: null })), 'epoch')).toContain(
      'how far that had gone was not known',
    );
    expect(detailOf(packOf(began({ ...SECOND, lastKnown: SECOND.restored })), 'epoch')).toContain(
      '5 leaves, its last known',
    );
  });

  it.each([
    ['a record of another origin', () => packOf(began(SECOND), [], moved)],
    ['a record signed by a key that is not in the file', () => packOf(began(SECOND, other))],
    ['a record that is not leaf 0', () => packOf(began(SECOND), [], misplaced)],
    ['a receipt of a tenant', () => packOf(beganWith({ tenant_id: 'acme' }))],
    ['a receipt of another kind', () => packOf(beganWith({ kind: 'log.other' }))],
    ['a receipt of another stream', () => packOf(beganWith({ stream: 'main' }))],
    ['a record from before its key signed', () => packOf(beganWith({ occurred_at: '2025-01-01T00:00:00.000Z' }))],
    ['another number than that of the origin', () => packOf(beganAs({ epoch: 3 }))],
    ['another origin than its subject', () => packOf(beganAs({ origin: `${NAME}/4` }))],
    ['a member that no epoch has', () => packOf(beganAs({ more: 1 }))],
    ['no restored checkpoint of the origin before', () => packOf(beganAs({ restored_checkpoint: null }))],
    ['a restored checkpoint of no origin', () => packOf(beganAs({ previous_origin: null }))],
    [
      'a last known checkpoint of another origin',
      () => packOf(beganAs({ last_known_checkpoint: headOf(9, 'x', 'y') })),
    ],
    ['a last known checkpoint that is older', () => packOf(beganAs({ last_known_checkpoint: headOf(4) }))],
    ['a text that is no checkpoint', () => packOf(beganAs({ restored_checkpoint: 'none' }))],
  ])('refuses %s', (_, make) => {
    expect(failedStep(make())).toEqual(['epoch', 'epoch']);
  });

  it('leads from a checkpoint of the epoch before, and says that it shows no more', () => {
    const file = packOf(began(SECOND), [headOf(3), headOf(5), headOf(7), headOf(9)]);
    expect(failedStep(file)).toEqual([null, null]);
    expect(detailOf(file, 'consistency')).toBe(
      '0 earlier checkpoints extended; 4 of the epoch before: what came after the restored checkpoint is not shown',
    );
    expect(failedStep(packOf(began({ ...SECOND, lastKnown: null }), [headOf(1000)]))).toEqual([null, null]);
  });

  it.each([
    ['of an epoch that is not named', began({ ...SECOND, ...third() }), headOf(3)],
    ['of another log', began(SECOND), headOf(3, 'x', 'elsewhere/1')],
    ['of a later epoch', began(FIRST), headOf(3, 'x', epochOrigin(NAME, 2))],
    ['newer than the last one known', began(SECOND), headOf(10)],
    ['of the restored size with another root', began(SECOND), headOf(5, 'another tree')],
    ['of the last known size with another root', began(SECOND), headOf(9, 'another tree')],
  ])('refuses an earlier checkpoint %s', (_, record, earlier) => {
    expect(failedStep(packOf(record, [earlier]))).toEqual(['consistency', 'consistency']);
  });

  it('says that an epoch is missing', () => {
    const skipped = packOf(began({ ...SECOND, ...third() }), [headOf(3)]);
    expect(detailOf(skipped, 'consistency')).toMatch(
      /^an epoch is missing between log.example\/svc\/1 and log.example\/svc\/3/,
    );
    const silent = packOf(began(SECOND), [headOf(3)], () => ({ epoch: null }));
    expect(failedStep(silent)).toEqual(['consistency', 'consistency']);
    expect(detailOf(silent, 'consistency')).toContain('does not say what it follows');
  });

  it('refuses a proof between two epochs', () => {
    const path: Digest[] = [namedDigest('sha256', root('x'))];
    const file = packOf(began(SECOND), [], () => ({ consistency: [{ checkpoint: headOf(3), path }] }));
    expect(failedStep(file)).toEqual(['consistency', 'consistency']);
  });

  /** The same tree under another origin. */
  function moved({ checkpoint }: PackParts): Partial<PackParts> {
    return { checkpoint: signCheckpoint(epochOrigin(NAME, 3), parseCheckpoint(checkpoint), key) };
  }
  function misplaced({ receipts, epoch }: PackParts): Partial<PackParts> {
    return { epoch: { cose: epoch!.cose, path: receipts[0]!.path } };
  }
  function third(): Partial<LogEpoch> {
    const previousOrigin = epochOrigin(NAME, 2);
    const restored = headOf(5, 'x', previousOrigin);
    return { origin: epochOrigin(NAME, 3), epoch: 3, previousOrigin, restored, lastKnown: null };
  }
});
