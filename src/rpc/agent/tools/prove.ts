import { Choice, Integer, Text } from '../../../common/fields/fields.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { AgentAnswer } from '../agent-answer.js';
import { idOf, readId } from '../agent-ids.rules.js';
import { agentTool } from '../agent-tool.js';
import type { RouteReply, Servers } from '../servers.js';
import { AgentId } from '../shared-arguments.js';
import { awaitProof, lineOfProof, type ProofJob } from './proof-jobs.js';

class ProveArguments {
  @Text({ about: 'Of an answer, retrieval, document, passage or fact; or of a proof to wait for.', min: 1, max: 1100 })
  id!: string;

  @Choice({ about: 'audit checks most and costs most.', values: ['light', 'verified', 'audit'], default: 'light' })
  mode!: 'light' | 'verified' | 'audit';

  @Integer({ about: 'How long to wait for the verdict.', min: 0, max: 60, default: 15 })
  wait_seconds!: number;

  @AgentId()
  agent_id!: string;
}

export const PROVE = agentTool<ProveArguments>({
  name: 'prove',
  title: 'Prove',
  description: 'Checks whether a thing still holds: holds, drifted, unavailable or broken, with what failed.',
  given: ProveArguments,
  routes: [
    'api POST /v1/proof/jobs',
    'api GET /v1/proof/jobs/:id',
    'daemon GET /v1/facts/:factId',
    'daemon GET /v1/receipts/:receiptId/verification',
  ],
  isRead: false,
  once: 'api',
  changesApi: ({ id }) => !['fact', 'proof'].includes(readId(id).kind ?? ''),
  run: prove,
});

async function prove(given: ProveArguments, servers: Servers): Promise<AgentAnswer> {
  const { kind, id } = readId(given.id);
  if (kind === 'fact') return proveFact(id, servers);
  const { body } = await (kind === 'proof'
    ? servers.call<ProofJob>('api', 'GET /v1/proof/jobs/:id', { params: { id } })
    : order(kind, id, given, servers));
  const job = await awaitProof(body, given.wait_seconds, servers);
  const failed = job.checks.filter(({ result }) => result === 'failed').map(({ name, detail }) => `${name}: ${detail}`);
  const changed = job.driftCategories.length > 0 ? [`Changed: ${job.driftCategories.join(', ')}`] : [];
  return new AgentAnswer([lineOfProof(job), ...failed, ...changed].join('\n'), {
    ...{ proof_id: idOf('proof', job.jobId), status: job.status, verdict: job.verdict, credits: job.credits },
    ...(job.receiptId === null ? {} : { receipt_id: idOf('receipt', job.receiptId) }),
  });
}

function order(
  kind: string | undefined,
  id: string,
  { mode, agent_id: agentId }: ProveArguments,
  servers: Servers,
): Promise<RouteReply<ProofJob>> {
  const subjects: Record<string, object> = { answer: { answerId: id }, retrieval: { retrievalId: id } };
  const subject = subjects[kind ?? ''] ?? { artefact_id: id };
  if (kind !== undefined && !['answer', 'retrieval', 'passage', 'document'].includes(kind))
    throw invalid('id', `of a ${kind} cannot be proved; evidence shows what is signed of it`);
  return servers.call<ProofJob>('api', 'POST /v1/proof/jobs', { body: { agentId, mode, ...subject } });
}

interface ProvenFact {
  receipt_id: string | null;
  superseded_by?: string;
  sources?: { id: string; state: string; new_id?: string }[];
}

/** By the receipt that binds it, and by its sources as they are now. */
async function proveFact(factId: string, servers: Servers): Promise<AgentAnswer> {
  const { body: fact } = await servers.call<ProvenFact>('daemon', 'GET /v1/facts/:factId', { params: { factId } });
  const verified = fact.receipt_id === null ? undefined : await verify(fact.receipt_id, servers);
  const changed = (fact.sources ?? []).filter(({ state }) => state !== 'holds');
  const verdict =
    verified === false ? 'broken' : changed.length > 0 || fact.superseded_by !== undefined ? 'drifted' : 'holds';
  return new AgentAnswer(
    [
      `${idOf('fact', factId)}: ${verdict}.`,
      verified === undefined
        ? 'No receipt binds it: it is older than these.'
        : `Its receipt is ${verified ? 'intact' : 'BROKEN'}.`,
      ...(fact.superseded_by === undefined ? [] : [`${idOf('fact', fact.superseded_by)} replaced it.`]),
      ...changed.map(
        ({ id, state, new_id }) => `Source ${id}: ${state}${new_id === undefined ? '' : `, now ${new_id}`}`,
      ),
    ].join('\n'),
    {
      id: idOf('fact', factId),
      verdict,
      ...(fact.receipt_id === null ? {} : { receipt_id: idOf('receipt', fact.receipt_id) }),
    },
  );
}

async function verify(receiptId: string, servers: Servers): Promise<boolean> {
  const query = { tenant_id: await servers.tenantId() };
  const { body } = await servers.call<{ verified: boolean }>('daemon', 'GET /v1/receipts/:receiptId/verification', {
    params: { receiptId },
    query,
  });
  return body.verified;
}
