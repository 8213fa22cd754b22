import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SigningKey } from '../../../evidence/signing-key.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import {
  completeVersion,
  confirmHash,
  contentDigest,
  manifestBytes,
  named,
  pageDigest,
  recordsHash,
} from './sync-digests.rules.js';
import { wireIdOf } from './sync-ids.rules.js';
import { mergeVersions, winnerOf } from './sync-merge.rules.js';
import type { SyncContent, SyncVersion } from './sync-record.types.js';
import { GrowingRoot } from './sync-root.rules.js';
import { recordOf } from './sync.views.js';

const VECTORS = join(import.meta.dirname, '../../../../docs/formats/vectors');
const { pkcs8_pem } = JSON.parse(readFileSync(join(VECTORS, 'keys.json'), 'utf8')) as { pkcs8_pem: string };
const UUID = '0199aaaa-0000-7000-8000-000000000001';
const [A, B] = ['a1b2c3d4e5f60718293a4b5c', 'b1b2c3d4e5f60718293a4b5c'];

type Given = Pick<SyncVersion, 'target' | 'parts' | 'vector' | 'writer'> & { content: SyncContent | null };
const FACT: SyncContent = {
  ...{ actor: 'passport:ada', confidence: 0.9, entity: 'user:ada', horizon_class: 'durable', key: 'Größe "€"\u2028' },
  ...{ tenant_hash: null, valid_from: '2026-01-01T00:00:00.000Z', valid_to: null, value: 'London \u{1f600}' },
};
const GIVEN: Given[] = [
  { target: 'facts', parts: ['user:ada', 'Größe "€"\u2028'], vector: { [A]: 7 }, writer: A, content: FACT },
  { target: 'facts', parts: ['user:ada', 'gone'], vector: { [B]: 2, [A]: 9007199254740991 }, writer: B, content: null },
  {
    ...{ target: 'entities', parts: ['person', 'ada'], vector: { [A]: 1 }, writer: A },
    content: { id: 'ada', kind: 'person', payload: { born: 1815, list: [1e21, -0, 0.1, 1e-7], name: 'Ada' } },
  },
  {
    ...{ target: 'edges', parts: ['person', 'ada', 'wrote', 'note', 'g'], vector: { [A]: 2 }, writer: A },
    content: { edge_kind: 'wrote', from_id: 'ada', from_kind: 'person', payload: null, to_id: 'g', to_kind: 'note' },
  },
  {
    ...{ target: 'relations', parts: ['1', 'cites', '4294967295'], vector: { [A]: 3 }, writer: A },
    content: {
      confidence: 0.3,
      created_at_micros: 5,
      edge_type: 'cites',
      from_id: 1,
      to_id: 4294967295,
      updated_at_micros: 7,
    },
  },
  {
    ...{ target: 'cases', parts: [UUID], vector: { [A]: 4 }, writer: A },
    content: {
      ...{
        action: 'A',
        case_id: UUID,
        context: '',
        created_at: '2026-01-01T00:00:00.000Z',
        lesson: null,
        outcome: 'O',
      },
      ...{ recorded_by: 'passport:ada', reward: 1, screened: [], success: true, tags: ['x'], task: 'T' },
    },
  },
  {
    ...{ target: 'holds', parts: [UUID], vector: { [A]: 5 }, writer: A },
    content: {
      ...{
        entity_prefixes: ['user:'],
        hold_id: UUID,
        placed_at: '2026-01-01T00:00:00.000Z',
        placed_by: 'passport:ada',
      },
      ...{ reason: 'Matter 1', released_at: null, released_by: null },
    },
  },
];

const versionOf = ({ content, ...given }: Given): SyncVersion =>
  completeVersion({
    ...{ ...given, seq: given.vector[given.writer]!, isDeleted: content === null },
    contentDigest: content === null ? null : contentDigest(content),
  });

function rootOf(digests: readonly string[]): string {
  const root = GrowingRoot.empty();
  for (const digest of digests) root.add(Buffer.from(digest, 'hex'));
  return named(root.root);
}

/** Three versions of one record: the first is gone beyond by the second, the third knows of neither. */
const MERGED = [{ [A]: 1 }, { [A]: 2 }, { [B]: 1 }].map((vector, place) =>
  versionOf({ target: 'facts', parts: ['e', 'k'], vector, writer: Object.keys(vector)[0]!, content: { n: place } }),
);

function made(): object {
  const versions = GIVEN.map((given) => ({ given, version: versionOf(given) }));
  const records = versions.map(({ given, version }) => ({ ...recordOf(version), content: given.content }));
  const sorted = versions.map(({ version }) => version).sort((a, b) => (a.key + a.digest < b.key + b.digest ? -1 : 1));
  const digests = sorted.map(({ digest }) => digest);
  const key = SigningKey.fromPem(pkcs8_pem);
  const manifest = {
    ...{ schema: 'svc.sync_manifest/1', tenant_id: 'default', tenant_category: 'personal', owner_id: 'default' },
    ...{ membership_epoch: '1', role_grants: ['read', 'write'], origin: A, position: 7 },
    collections: [{ name: 'facts', count: 1, position: 7, root: rootOf([versions[0]!.version.digest]) }],
    ...{ checkpoint: null, issued_at: '2026-01-01T00:00:00.000Z' },
  };
  const [signature] = key.signAll([manifestBytes(manifest)]);
  const rows = [
    { digest: digests[0]!, verdict: 'apply', local: [] },
    { digest: digests[1]!, verdict: 'conflict_kept', local: [digests[2]!] },
  ];
  return {
    about:
      'Versions of records, made and compared as docs/formats/sync.md says; the manifest is signed by the key of keys.json.',
    records: records.map((record, place) => ({
      ...{ key_hex: versions[place]!.version.key, canonical_content: textOf(record.content), record },
      canonical_version: textOf({
        ...{
          collection: record.collection,
          deleted: record.deleted,
          id: record.id,
          origin: record.origin,
          vector: record.vector,
        },
      }),
    })),
    order: sorted.map(({ target, parts, isDeleted }) => wireIdOf(target, parts, isDeleted)),
    root: rootOf(digests),
    roots_of_first: digests.map((_, count) => rootOf(digests.slice(0, count))),
    page: {
      tenant_id: 'default',
      collection: 'facts',
      digests: digests.map(named),
      page_digest: named(pageDigest('default', 'facts', digests)),
    },
    records_hash: { digests: digests.map(named), record_hash: named(recordsHash(digests)) },
    confirm: {
      ...{ tenant_id: 'default', allowlist: ['user:', 'a:'] },
      rows: rows.map(({ digest, verdict, local }) => ({ digest: named(digest), verdict, local: local.map(named) })),
      confirm_hash: named(confirmHash('default', ['user:', 'a:'], rows)),
    },
    merge: {
      versions: MERGED.map(recordOf),
      alive: mergeVersions([], MERGED).map(({ digest }) => named(digest)),
      shown: named(winnerOf(mergeVersions([], MERGED)).digest),
    },
    manifest: {
      ...manifest,
      signature: { algorithm: 'Ed25519', kid: key.kid, value: Buffer.from(signature!).toString('base64url') },
    },
  };
}

const textOf = (value: unknown): string | null =>
  value === null ? null : Buffer.from(canonicalJson(value)).toString('utf8');

describe('the vectors of docs/formats/sync.md', () => {
  it('are those of the file, made again (vitest -u writes it)', async () => {
    await expect(`${JSON.stringify(made(), null, 2)}\n`).toMatchFileSnapshot(join(VECTORS, 'sync.json'));
  });

  it('do not depend on the order of members', () => {
    const { content, ...given } = GIVEN[0]!;
    const turned = Object.fromEntries(Object.entries(content!).toReversed());
    expect(versionOf({ ...given, content: turned }).digest).toBe(versionOf(GIVEN[0]!).digest);
    expect(recordsHash(['aa', 'bb'])).toBe(recordsHash(['bb', 'aa']));
  });
});
