import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CborValue, encodeCanonical } from '../../../src/evidence/cbor.js';
import { blake3 } from '../../../src/evidence/digest.js';
import { fieldDigest } from '../../../src/evidence/export/export-fields.js';
import { decodeExportCbor, decodeExportJson, type ExportFile } from '../../../src/evidence/export/export-format.js';
import { exportOfFiles, readZip } from '../../../src/evidence/export/export-zip.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startReceiptsDaemon, type ReceiptsDaemon } from '../receipts/receipts-daemon.js';

const LIMITS = { bytes: 2 ** 26, ratio: 1000, ratioFloor: 2 ** 26, entries: 64 };
const AGENT = 'agent-of-the-keeper';
const QUOTE = 'droppings are cubes';
const NOTE = 'odd, but so it is';
const TEXT = 'They are cubes, says the handbook.';
const QUERY = 'wombat droppings';
const EVENT = 'the wombat was seen';

let daemon: ReceiptsDaemon;
let api: TestApi;
let keepers: Keeper[];

/** A tenant with an answer, and what somebody who knows its texts can say of them. */
interface Keeper {
  tenant: TestTenant;
  /** Paths of exports of every kind of subject. */
  subjects: Record<string, string>;
  passages: { chunkId: string; content: string; corpusId: string; docId: string }[];
}

const contentOf = (tenantId: string) =>
  `Wombats of ${tenantId} are marsupials. Their ${QUOTE}, which nobody else makes.`;

/** The id that a passage had before ids were keyed. */
const unkeyedId = ({ tenantId }: TestTenant, corpusId: string, docId: string, ordinal: number, content: string) => {
  const named = [tenantId, corpusId, docId, 1, ordinal, hex(blake3(content))];
  return `chk_${hex(blake3(JSON.stringify(named))).slice(0, 32)}`;
};
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

async function keeperOf(tenant: TestTenant): Promise<Keeper> {
  const { tenantId, call } = tenant;
  const documents = ['wombat', 'old'].map((docId) => ({
    ...{
      tenantId,
      corpusId: 'zoo',
      docId,
      title: `About the ${docId}`,
      url: 'https://zoo.example/',
      shareability: 'owner_only',
    },
    content: docId === 'old' ? `${contentOf(tenantId)} So it was said before.` : contentOf(tenantId),
  }));
  const ingested = await call('POST', '/v1/ingest/batch', { documents });
  expect([ingested.status, ingested.body.issues]).toEqual([202, undefined]);
  const ids = ingested.body.accepted.map(({ ingestId }: { ingestId: string }) => ingestId);
  for (const id of ids) while ((await call('GET', `/v1/ingest/${id}`)).body.status !== 'completed') await sleep(20);
  const found = await call('POST', '/v1/retrieve', {
    agentId: AGENT,
    query: QUERY,
    lane: 'audit',
    includeCommons: false,
  });
  const passages = found.body.results;
  expect(passages).toHaveLength(2);
  const citations = passages.map(({ chunkId }: { chunkId: string }) => ({ chunkId, quote: QUOTE, note: NOTE }));
  const answer = { agentId: AGENT, answerId: 'answer-1', answerText: TEXT, idempotencyKey: `of ${tenantId}` };
  const recorded = await call('POST', '/v1/citations', { ...answer, citations }, { 'x-idempotency-key': '' });
  expect(recorded.status).toBeLessThan(300);
  const events = [{ type: 'seen', payload: { text: EVENT } }];
  const stream = { tenant_id: tenantId, stream_type: 'log', stream_id: '1', events };
  expect((await daemon.call('POST', '/v1/append', stream)).status).toBe(200);
  const subjects = {
    answer: 'answers/answer-1?mode=audit',
    search: `receipts/${encodeURIComponent(found.body.meta.retrievalReceiptId)}?`,
    receipt: `receipts/${recorded.body.receiptId}?`,
    ingest: `actions/${ids[0]}?mode=audit`,
    action: `actions/${found.body.meta.retrievalId}?mode=audit`,
    document: `actions/${encodeURIComponent('zoo/wombat')}?mode=verified`,
    key: `actions/${tenant.keyId}?mode=audit`,
    stream: 'streams/log/1?',
  };
  return { tenant, subjects, passages };
}

beforeAll(async () => {
  daemon = await startReceiptsDaemon();
  api = await startApi({ database: daemon.database, env: { SVC_DATA_DIR: daemon.dataDir } });
  keepers = [await keeperOf(api.tenant), await keeperOf(await api.addTenant(`${api.tenant.tenantId}-2`))];
  // A passage that came before ids were keyed, as its citation has it.
  for (const { tenant, passages } of keepers) {
    const old = passages.find(({ docId }) => docId === 'old')!;
    const before = unkeyedId(tenant, 'zoo', 'old', 0, old.content);
    const set = 'update citation set chunk_id = $1 where tenant_id = $2 and chunk_id = $3';
    await daemon.tamper(set, [before, tenant.tenantId, old.chunkId]);
    await daemon.record(tenant.tenantId, {
      kind: 'api_key.rotated',
      subject: tenant.keyId,
      actor: `key:${tenant.keyId}`,
    });
  }
});
afterAll(async () => {
  await api.close();
  await daemon.close();
});

const OPENERS: Record<string, (bytes: Uint8Array) => ExportFile | Promise<ExportFile>> = {
  json: (bytes) => decodeExportJson(bytes, JSON.parse(Buffer.from(bytes).toString())),
  cbor: decodeExportCbor,
  zip: async (bytes) => exportOfFiles(await readZip(bytes, LIMITS)),
};

async function fetchExport({ tenant, subjects }: Keeper, subject: string, query: string) {
  const url = `${daemon.url}/v1/replay/exports/${subjects[subject]}&tenant_id=${tenant.tenantId}${query}`;
  const response = await fetch(url, { headers: { 'x-svc-scopes': 'exports:read receipts:read' } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) expect([url, response.status, Buffer.from(bytes).toString()]).toEqual([url, 200, '']);
  return bytes;
}

/** Every byte a reader has: of each text as it is, and of what it is the base64 or hexadecimal form of. */
function bytesIn(value: unknown): Buffer[] {
  if (value instanceof Uint8Array) return [Buffer.from(value)];
  if (typeof value === 'string') return [Buffer.from(value), Buffer.from(value, 'base64'), ...hexIn(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(bytesIn);
}
const hexIn = (text: string) =>
  (text.replaceAll('-', '').match(/[0-9a-f]{32,}/g) ?? []).map((run) => Buffer.from(run, 'hex'));
const everythingOf = (file: ExportFile, bytes: Uint8Array) => Buffer.concat([Buffer.from(bytes), ...bytesIn(file)]);

/** 16 bytes of a digest are enough to know it by, and ids of passages have no more. */
const knownBy = (digest: Uint8Array) => Buffer.from(digest).subarray(0, 16);
const digestsOf = (data: Uint8Array | string): Buffer[] => [blake3(data), sha256(data)].map(knownBy);

const unkeyedIdsOf = ({ tenant, passages }: Keeper): Buffer[] =>
  passages.flatMap(({ content, corpusId, docId }) =>
    [0, 1, 2].map((n) => Buffer.from(unkeyedId(tenant, corpusId, docId, n, content).slice(4), 'hex')),
  );

/** What the documentation lets somebody compute who guesses a text rightly, and has the redacted file. */
function confirmations(keeper: Keeper): Buffer[] {
  const { passages } = keeper;
  const texts = [...passages.map(({ content }) => content), QUOTE, NOTE, TEXT, QUERY, EVENT];
  const ofTexts = texts.flatMap((text) => [...digestsOf(text), ...digestsOf(encodeCanonical(text))]);
  const leaves = passages.flatMap(({ content }) =>
    [blake3(content), sha256(content)].map((digest) => sha256(Buffer.concat([Buffer.of(0), digest])).subarray(0, 16)),
  );
  return [...ofTexts, ...unkeyedIdsOf(keeper), ...leaves, ...digestsOf(encodeCanonical({ text: EVENT }))];
}

/** Digests, ids of receipts, which are UUIDs of version 8, and ids of passages. Other ids are random. */
const DERIVED = /^(?:.*[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f-]{21}|chk_.*)$/s;

/** Those among the values that the redacted export does not show. */
function withheldDigests(full: ExportFile, redacted: ExportFile): Buffer[] {
  const shown = new Set(redacted.disclosures.map(({ path }) => path.join('/')));
  const unguessable = new Set<unknown>(full.manifest.items.map(({ record }) => record));
  return full.disclosures
    .filter(({ path, value }) => !shown.has(path.join('/')) && !unguessable.has(value))
    .flatMap(({ value }) => (typeof value === 'string' && DERIVED.test(value) ? hexIn(value) : []))
    .map(knownBy);
}

/** Whoever knows a withheld value and its place tries every salt that is shown. */
function confirmedBySalt(full: ExportFile, redacted: ExportFile): string[] {
  const shown = new Set(redacted.disclosures.map(({ path }) => path.join('/')));
  const digests = new Set<string>(full.manifest.items.flatMap(({ fields }) => fields));
  const salts = redacted.disclosures.map(({ salt }) => salt);
  return full.disclosures
    .filter(({ path, value }) => !shown.has(path.join('/')) && typeof value === 'string')
    .filter(({ path, value }) => salts.some((salt) => digests.has(fieldDigest({ path, salt, value }))))
    .map(({ path }) => path.join('.'));
}

/** What looks derived and is none of the digests that are known to be salted: also what comes to exports later. */
function unexplained(file: ExportFile): string[] {
  const { items } = file.manifest;
  const records = new Set<unknown>(items.map(({ record }) => record));
  const isSalted = ([, index, name]: readonly (string | number)[]) =>
    items[Number(index)]?.type === 'event' && (name === 'payload_digest' || name === 'digest');
  return file.disclosures
    .filter(({ value }) => (typeof value === 'string' ? DERIVED.test(value) : value instanceof Uint8Array))
    .filter(({ path, value }) => !records.has(value) && !isSalted(path))
    .map(({ path }) => path.join('.'));
}

const REDACTIONS = ['content', 'identity', 'content,identity', 'all', 'content&include=citations,findings'];
const withoutQuery = (redaction: string) => redaction.split('&')[0]!.split(',');

describe('who has a redacted export and guesses rightly', () => {
  it.each(['answer', 'search', 'receipt', 'ingest', 'action', 'document', 'key', 'stream'])(
    'finds the guess confirmed by nothing in that of a %s, in no encoding',
    async (subject) => {
      for (const keeper of keepers) {
        const full = await OPENERS.cbor!(await fetchExport(keeper, subject, '&format=cbor'));
        expect(full.disclosures.length).toBeGreaterThan(5);
        for (const redaction of REDACTIONS) await attack(keeper, { subject, redaction, full });
      }
    },
    120_000,
  );

  async function attack(
    keeper: Keeper,
    { subject, redaction, full }: { subject: string; redaction: string; full: ExportFile },
  ): Promise<void> {
    for (const format of ['json', 'cbor', 'zip']) {
      const bytes = await fetchExport(keeper, subject, `&format=${format}&redaction=${redaction}`);
      const { checks } = await verifyBundle(bytes, LIMITS, { development: true });
      expect([subject, redaction, format, checks.filter(({ ok }) => !ok)]).toEqual([subject, redaction, format, []]);
      const file = await OPENERS[format]!(bytes);
      expect([file.manifest, file.signature]).toEqual([full.manifest, full.signature]);
      const everything = everythingOf(file, bytes);
      const profiles = withoutQuery(redaction);
      const hidden = [
        ...(profiles.includes('identity') ? [] : confirmations(keeper)),
        ...(profiles.includes('content') ? [QUOTE, NOTE, TEXT, QUERY, EVENT].map((text) => Buffer.from(text)) : []),
        ...(profiles.includes('identity') ? identitiesOf(keeper) : []),
        ...withheldDigests(full, file),
      ];
      const confirmed = hidden.filter((needle) => everything.includes(needle)).map(hex);
      expect([subject, redaction, format, confirmed]).toEqual([subject, redaction, format, []]);
      expect([subject, redaction, confirmedBySalt(full, file)]).toEqual([subject, redaction, []]);
      if (profiles.includes('content'))
        expect([subject, redaction, unexplained(file)]).toEqual([subject, redaction, []]);
    }
  }

  it.each([
    ['items.*.content', (keeper: Keeper) => keeper.passages.map(({ content }) => content)],
    ['quote', () => [QUOTE]],
    ['note', () => [NOTE]],
    ['items.*.text', () => [TEXT]],
    ['payload.body.query', () => [QUERY]],
    ['actor', ({ tenant }: Keeper) => [`key:${tenant.keyId}`]],
  ])('nor in one that withholds %s alone', async (redaction, textsOf) => {
    for (const keeper of keepers) {
      const full = await OPENERS.cbor!(await fetchExport(keeper, 'answer', '&format=cbor'));
      const bytes = await fetchExport(keeper, 'answer', `&format=json&redaction=${redaction}`);
      const { checks } = await verifyBundle(bytes, LIMITS);
      expect([redaction, checks.filter(({ ok }) => !ok)]).toEqual([redaction, []]);
      const file = await OPENERS.json!(bytes);
      expect([file.manifest, file.signature]).toEqual([full.manifest, full.signature]);
      const everything = everythingOf(file, bytes);
      const ids = redaction === 'items.*.content' ? unkeyedIdsOf(keeper) : [];
      const hidden = [...textsOf(keeper).flatMap(digestsOf), ...ids, ...withheldDigests(full, file)];
      expect([redaction, hidden.filter((needle) => everything.includes(needle)).map(hex)]).toEqual([redaction, []]);
    }
  });

  /** The principals, and their digests. */
  function identitiesOf({ tenant: { keyId } }: Keeper): Buffer[] {
    const names = [AGENT, `agent:${AGENT}`, keyId, `key:${keyId}`];
    return names.flatMap((name) => [Buffer.from(name), ...digestsOf(name)]);
  }

  it('does find it in a whole one: the search sees what it looks for', async () => {
    for (const keeper of keepers) {
      const bytes = await fetchExport(keeper, 'answer', '&format=zip');
      const file = await OPENERS.zip!(bytes);
      const everything = everythingOf(file, bytes);
      const hash = knownBy(blake3(keeper.passages[0]!.content));
      const old = keeper.passages.find(({ docId }) => docId === 'old')!;
      const id = Buffer.from(unkeyedId(keeper.tenant, 'zoo', 'old', 0, old.content).slice(4), 'hex');
      for (const needle of [hash, id, ...identitiesOf(keeper).slice(0, 1), Buffer.from(TEXT)])
        expect(everything.includes(needle)).toBe(true);
    }
  });
});

describe('a passage of a redacted export', () => {
  const namesOf = (file: ExportFile, type: string) => {
    const items = file.manifest.items.flatMap((item, index) => (item.type === type ? [index] : []));
    return items.map((index): Record<string, CborValue> =>
      Object.fromEntries(
        file.disclosures
          .filter(({ path }) => path[0] === 'items' && path[1] === index)
          .map(({ path, value }) => [path.slice(2).join('.'), value]),
      ),
    );
  };

  it('is named by a reference, the same throughout one export and another in the next', async () => {
    const [keeper] = keepers as [Keeper];
    const open = async (query: string) => OPENERS.json!(await fetchExport(keeper, 'answer', `&format=json${query}`));
    const redacted = await open('&redaction=content');
    const cited = namesOf(redacted, 'citation');
    const found = namesOf(redacted, 'finding').filter(({ ordinal }) => ordinal !== undefined);
    expect(cited).toHaveLength(2);
    expect(cited.map(({ chunk_ref }) => chunk_ref)).toEqual(found.map(({ chunk_ref }) => chunk_ref));
    expect(new Set(cited.map(({ chunk_ref }) => chunk_ref)).size).toBe(2);
    for (const { chunk_ref } of cited) expect(chunk_ref).toMatch(/^ref_[0-9a-f]{32}$/);
    const derived = /^(chunk_id|content_hash|quote_hash|note_hash|start|end|binding)/;
    for (const item of [...cited, ...found]) expect(Object.keys(item).filter((name) => derived.test(name))).toEqual([]);
    const whole = namesOf(await open(''), 'citation');
    expect(whole.map(({ chunk_ref }) => chunk_ref)).toEqual(cited.map(({ chunk_ref }) => chunk_ref));
    const other = await OPENERS.cbor!(await fetchExport(keepers[1]!, 'answer', '&format=cbor'));
    const references = namesOf(other, 'citation').map(({ chunk_ref }) => chunk_ref);
    expect(references.filter((one) => whole.some(({ chunk_ref }) => chunk_ref === one))).toEqual([]);
  });

  it('has an id that does not follow from its text, and another in every tenant', () => {
    for (const { tenant, passages } of keepers)
      for (const { chunkId, content, corpusId, docId } of passages) {
        expect(chunkId).toMatch(/^chk_[0-9a-f]{32}$/);
        expect(chunkId).not.toBe(unkeyedId(tenant, corpusId, docId, 0, content));
      }
  });
});
