import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ApiClient } from '../../common/client/api-client.js';
import {
  LANES,
  type DocumentInput,
  type Lane,
  type RetrievalReply,
  type RetrievedPassage,
} from '../../common/client/api-replies.js';
import { ingestDocuments } from '../../common/client/ingest-documents.js';
import { chainKeysOf, parseTrustedKeys } from '../../evidence/trusted-keys.js';
import type { TrustedKey } from '../../evidence/file-keys.js';
import { verifyPack } from '../../evidence/verify-pack.js';
import { UserError } from '../output.js';
import { DEMO_CORPUS, describeLeftOut } from './demo-documents.js';
import { proveAnswer, recordAnswer } from './demo-proof.js';
import type { Asked, DemoReport } from './demo.types.js';
import type { ProgressOutput } from '../progress-output.js';
import type { LeftOut } from '../ingest/sources.types.js';

export interface Demo {
  client: ApiClient;
  progress: ProgressOutput;
  documents: DocumentInput[];
  leftOut: LeftOut[];
  questions: string[];
  /** The file the proof pack is written to. */
  out: string;
}

const SHOWN = 3;

/** The job from end to end. @throws ApiFailure or UserError with the remedy */
export async function runDemo(demo: Demo): Promise<DemoReport> {
  const { client, progress, documents, leftOut } = demo;
  await ingest(demo);
  const asked = await askAll(demo);
  const found = asked.findLast(({ passages }) => passages.length > 0);
  if (!found) throw new UserError('No question found a passage; ask in words of the documents with --ask');
  const answer = await recordAnswer(client, progress, found);
  const proof = await proveAnswer(client, progress, answer.answerId);
  const bytes = await client.bytes(`/v1/proof/receipts/${proof.receiptId}/proofpack`);
  // The last thing asked of the server: from here on nothing but the file and these keys is used.
  const keys = chainKeysOf(parseTrustedKeys(JSON.stringify(await client.get<object>('/.well-known/jwks.json'))));
  const pack = savePack(demo, bytes, keys);
  const flipped = flipOneByte(progress, bytes, keys);
  const ok = proof.verdict === 'holds' && pack.verified && flipped.refused;
  progress.line(ok ? '\nThe whole job works.' : '\nSomething does not hold; see above.');
  const questions = asked.map(({ report }) => report);
  const server = client.address.url;
  return { ok, server, documents: documents.length, leftOut, questions, answer, proof, pack, flipped };
}

async function ingest({ client, progress, documents, leftOut }: Demo): Promise<void> {
  progress.step(`Ingest ${documents.length} documents into corpus ${DEMO_CORPUS}`);
  for (const line of describeLeftOut(leftOut)) progress.line(line);
  const bar = progress.bar('searchable', documents.length);
  try {
    await ingestDocuments(client, documents, (done) => bar.update(done));
  } finally {
    bar.stop();
  }
}

/** Every question in a lane, the lanes in turn; at least one question a lane. */
async function askAll({ client, progress, questions }: Demo): Promise<Asked[]> {
  progress.step('Ask, in the three lanes; score = lexical + vector + recency + laneWeight');
  const asked: Asked[] = [];
  for (let i = 0; i < Math.max(questions.length, LANES.length); i++) {
    const request = { query: questions[i % questions.length]!, lane: LANES[i % LANES.length]! };
    asked.push(await ask(client, progress, request));
  }
  return asked;
}

async function ask(
  client: ApiClient,
  progress: ProgressOutput,
  { query, lane }: { query: string; lane: Lane },
): Promise<Asked> {
  const reply = await client.post<RetrievalReply>('/v1/retrieve', {
    query,
    lane,
    agentId: DEMO_CORPUS,
    corpusIds: [DEMO_CORPUS],
    limit: SHOWN,
  });
  const { results: passages, meta } = reply;
  progress.line(`\n   ${lane}: ${query}   (${passages.length} passages in ${meta.tookMs} ms)`);
  passages.forEach((passage, i) => progress.line(describePassage(passage, i + 1)));
  const results = passages.map(({ chunkId, docId, score, scoreComponents: parts }) => ({
    chunkId,
    docId,
    score,
    parts,
    addsUp: score === parts.lexical + parts.vector + parts.recency + parts.laneWeight,
  }));
  return { report: { lane, query, tookMs: meta.tookMs, results }, passages };
}

function describePassage({ docId, title, content, score, scoreComponents }: RetrievedPassage, rank: number): string {
  const { lexical, vector, recency, laneWeight } = scoreComponents;
  const sum = [lexical, vector, recency, laneWeight].map((part) => part.toFixed(3)).join(' + ');
  const text = content.replaceAll(/\s+/g, ' ').slice(0, 100).toWellFormed();
  return `   ${rank}. ${title ?? docId} (${docId})\n      ${sum} = ${score.toFixed(3)}\n      ${text}`;
}

function savePack({ progress, out }: Demo, bytes: Uint8Array, keys: readonly TrustedKey[]): DemoReport['pack'] {
  const file = resolve(out);
  progress.step(
    `Write the proof pack and verify it offline against the server's public keys, as "svc verify --key" does`,
  );
  try {
    writeFileSync(file, bytes);
  } catch (error) {
    throw new UserError(`The proof pack cannot be written: ${(error as Error).message}. Name another file with --out`);
  }
  const { ok: verified, checks } = verifyPack(bytes, keys);
  for (const { name, ok, detail } of checks) progress.line(`   ${ok ? 'ok  ' : 'FAIL'} ${name.padEnd(12)} ${detail}`);
  progress.line(`   ${bytes.length} bytes in ${file}: ${verified ? 'verified' : 'NOT verified'}`);
  return { file, bytes: bytes.length, verified, checks };
}

/** The lowest bit of the byte in the middle: as small a change as there is. The file itself stays as it was. */
function flipOneByte(progress: ProgressOutput, bytes: Uint8Array, keys: readonly TrustedKey[]): DemoReport['flipped'] {
  const altered = Uint8Array.from(bytes);
  const offset = altered.length >> 1;
  const from = altered[offset]!;
  const to = from ^ 1;
  altered[offset] = to;
  const show = (byte: number): string => JSON.stringify(String.fromCharCode(byte));
  progress.step(`Flip one bit of a copy: byte ${offset}, ${show(from)} becomes ${show(to)}`);
  const { ok, checks } = verifyPack(altered, keys);
  const failed = checks.find((check) => !check.ok) ?? null;
  progress.line(failed ? `   refused: ${failed.name}: ${failed.detail}` : '   NOT refused');
  return { offset, from, to, refused: !ok, failed };
}
