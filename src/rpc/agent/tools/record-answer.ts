import { Choice, Flag, Text, TextList } from '../../../common/fields/fields.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { AgentAnswer } from '../agent-answer.js';
import { idOf, readId } from '../agent-ids.rules.js';
import { agentTool } from '../agent-tool.js';
import type { Servers } from '../servers.js';
import { AgentId } from '../shared-arguments.js';
import { awaitProof, lineOfProof, type ProofJob } from './proof-jobs.js';

class RecordAnswerArguments {
  @Text({ about: 'The answer.', min: 1, max: 1_000_000 })
  text!: string;

  @TextList({ about: 'Passages it rests on.', max: 512, maxItems: 500 })
  cites!: string[];

  @Text({ about: 'To record a new version of it.', optional: true, min: 1, max: 520 })
  answer_id?: string;

  @Choice({ about: 'Also prove it.', values: ['light', 'verified', 'audit'], optional: true })
  prove?: 'light' | 'verified' | 'audit';

  @Flag({ about: 'Also alert you when a source changes.', default: false })
  watch!: boolean;

  @AgentId()
  agent_id!: string;
}

interface Recorded {
  answerId: string;
  version: number;
  receiptId: string;
  citations: { chunkId: string; current: boolean }[];
  proof: ProofJob | null;
  watch: { watchId: string } | null;
}

export const RECORD_ANSWER = agentTool<RecordAnswerArguments>({
  name: 'record_answer',
  title: 'Record an answer',
  description:
    'Keeps an answer with the passages it cites, under a signed receipt; proves and watches it in the same call.',
  given: RecordAnswerArguments,
  routes: ['api POST /v1/answers', 'api GET /v1/proof/jobs/:id'],
  isRead: false,
  once: 'api',
  run: recordAnswer,
});

const WAIT_SECONDS = 10;

async function recordAnswer(given: RecordAnswerArguments, servers: Servers): Promise<AgentAnswer> {
  const { text: answerText, cites, prove, watch, agent_id: agentId, answer_id } = given;
  if (cites.length === 0) throw invalid('cites', 'must name at least one passage: the ids that search answered');
  const body = {
    ...{ agentId, answerText, watch, prove, citations: cites.map((cite, at) => ({ chunkId: passageOf(cite, at) })) },
    ...(answer_id === undefined ? {} : { answerId: readId(answer_id).id }),
  };
  const { body: recorded } = await servers.call<Recorded>('api', 'POST /v1/answers', { body });
  const proof = recorded.proof && (await awaitProof(recorded.proof, WAIT_SECONDS, servers));
  const old = recorded.citations.filter(({ current }) => !current).map(({ chunkId }) => chunkId);
  const id = idOf('answer', recorded.answerId);
  return new AgentAnswer(
    [
      `Recorded as ${id}, version ${recorded.version}.`,
      ...(old.length > 0 ? [`Cited, and no longer in its document: ${old.join(', ')}`] : []),
      ...(proof ? [lineOfProof(proof)] : []),
      ...(recorded.watch ? [`Watched by ${idOf('watch', recorded.watch.watchId)}.`] : []),
    ].join('\n'),
    {
      ...{ id, version: recorded.version, receipt_id: idOf('receipt', recorded.receiptId) },
      ...(proof ? { proof_id: idOf('proof', proof.jobId), verdict: proof.verdict } : {}),
      ...(recorded.watch ? { watch_id: idOf('watch', recorded.watch.watchId) } : {}),
    },
  );
}

function passageOf(text: string, at: number): string {
  const { kind, id } = readId(text);
  if (kind === 'passage') return id;
  throw invalid(`cites[${at}]`, 'must be a passage, chk_... as search answered it; link connects an answer with facts');
}
