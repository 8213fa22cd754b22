import { randomUUID } from 'node:crypto';
import { ApiFailure, type ApiClient } from '../../common/client/api-client.js';
import type { CitationReply, ProofJobReply, RetrievedPassage } from '../../common/client/api-replies.js';
import { endedProof } from '../../common/client/ended-proof.js';
import { DEMO_CORPUS } from './demo-documents.js';
import type { AnswerReport, Asked, ProofReport } from './demo.types.js';
import type { ProgressOutput } from '../progress-output.js';

const CITED = 2;
const MAX_QUOTE = 160;

/** An answer made of quotes from the best passages, recorded with its citations. */
export async function recordAnswer(
  client: ApiClient,
  progress: ProgressOutput,
  { report, passages }: Asked,
): Promise<AnswerReport> {
  progress.step(`Record an answer to "${report.query}" with its citations`);
  const citations = passages
    .slice(0, CITED)
    .map((passage) => ({ chunkId: passage.chunkId, quote: quoteFrom(passage) }));
  const idempotencyKey = randomUUID();
  const { answerId, receiptId } = await client.post<CitationReply>('/v1/citations', {
    agentId: DEMO_CORPUS,
    answerId: `demo-${idempotencyKey}`,
    idempotencyKey,
    citations,
    answerText: citations.map(({ quote }) => quote).join(' '),
  });
  for (const { chunkId, quote } of citations) progress.line(`   ${chunkId}: "${quote}"`);
  progress.line(`   answer ${answerId}, receipt ${receiptId}`);
  return { answerId, receiptId, citations };
}

/** The first line of running text, as it stands in the passage, cut between characters. */
function quoteFrom({ content }: RetrievedPassage): string {
  const lines = content.split('\n').map((line) => line.trim());
  const prose = lines.find((line) => line.length >= 20 && !/^[#|`>*-]/.test(line)) ?? content.trim();
  return prose.slice(0, MAX_QUOTE).replace(/[\uD800-\uDBFF]$/, '');
}

/** An audit proof of the answer. @throws ApiFailure when the job fails or does not end */
export async function proveAnswer(client: ApiClient, progress: ProgressOutput, answerId: string): Promise<ProofReport> {
  progress.step('Ask for an audit proof of that answer');
  const request = { agentId: DEMO_CORPUS, mode: 'audit', answerId };
  const job = await endedProof(client, await client.post<ProofJobReply>('/v1/proof/jobs', request));
  const { jobId, mode, verdict, checks, receiptId } = job;
  if (!receiptId) throw new ApiFailure(0, `The proof job ${jobId} is completed but names no receipt`);
  for (const { name, ok, detail } of checks) progress.line(`   ${ok ? 'ok  ' : 'FAIL'} ${name.padEnd(12)} ${detail}`);
  progress.line(`   the proof ${verdict}, receipt ${receiptId}`);
  return { jobId, mode, verdict, checks, receiptId };
}
