import { Choice, Text } from '../../../common/fields/fields.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { AgentAnswer, fitAnswer } from '../agent-answer.js';
import { idOf, readId } from '../agent-ids.rules.js';
import { agentTool } from '../agent-tool.js';
import type { Servers } from '../servers.js';
import { TokenBudget } from '../shared-arguments.js';

class EvidenceArguments {
  @Text({ about: 'Of a receipt, or of an answer or fact that has one.', min: 1, max: 520 })
  id!: string;

  @Choice({
    about: 'receipt: as it is signed; pack: with all that an outsider needs to verify it.',
    values: ['summary', 'receipt', 'pack'],
    default: 'summary',
  })
  as!: 'summary' | 'receipt' | 'pack';

  @TokenBudget(600)
  token_budget!: number;
}

export const EVIDENCE = agentTool<EvidenceArguments>({
  name: 'evidence',
  title: 'Evidence',
  description: 'Verifies a receipt: its signature, chain and transparency log.',
  given: EvidenceArguments,
  routes: [
    'daemon GET /v1/receipts/:receiptId/verification',
    'daemon GET /v1/receipts/:receiptId',
    'api GET /v1/proof/receipts/:receiptId/proofpack',
    'api GET /v1/answers/:answerId',
    'daemon GET /v1/facts/:factId',
  ],
  isRead: true,
  run: evidence,
});

async function evidence(given: EvidenceArguments, servers: Servers): Promise<AgentAnswer> {
  const receiptId = await receiptOf(given.id, servers);
  if (given.as === 'summary') return summary(receiptId, given.token_budget, servers);
  const file = await readFile(receiptId, given.as, servers);
  const answer = await fitAnswer(
    { head: [], items: [{ text: file, data: { receipt_id: idOf('receipt', receiptId) } }], itemsAs: 'files' },
    given.token_budget,
  );
  if (answer.text === file) return answer;
  // Half a file proves nothing.
  throw invalid(
    'token_budget',
    `is too small for the ${given.as}, which has ${file.length} characters; as summary fits`,
  );
}

async function receiptOf(text: string, servers: Servers): Promise<string> {
  const { kind, id } = readId(text);
  if (kind === 'fact') {
    const { body } = await servers.call<{ receipt_id: string | null }>('daemon', 'GET /v1/facts/:factId', {
      params: { factId: id },
    });
    if (body.receipt_id !== null) return body.receipt_id;
    throw invalid('id', 'of a fact that no receipt binds: it is older than these');
  }
  if (kind === 'answer')
    return (await servers.call<{ receiptId: string }>('api', 'GET /v1/answers/:answerId', { params: { answerId: id } }))
      .body.receiptId;
  if (kind === 'receipt' || kind === undefined) return id;
  throw invalid('id', `of a ${kind} has no receipt; prove makes one`);
}

interface Finding {
  ok: boolean | null;
  detail: string;
}
interface Report {
  family: string;
  verified: boolean;
  error_code: string;
  auth_mode: string | null;
  actor_authenticated: boolean;
  record: Finding;
  signature: Finding;
  chain: Finding;
  log: Finding & { leaf_index: number | null };
}

async function summary(receiptId: string, budget: number, servers: Servers): Promise<AgentAnswer> {
  const query = { tenant_id: await servers.tenantId() };
  const { body } = await servers.call<Report>('daemon', 'GET /v1/receipts/:receiptId/verification', {
    params: { receiptId },
    query,
  });
  const { verified, error_code, actor_authenticated } = body;
  const parts = (['record', 'signature', 'chain', 'log'] as const).map((name) => ({ name, ...body[name] }));
  return fitAnswer(
    {
      head: [
        `${idOf('receipt', receiptId)} ${verified ? 'is intact' : `is NOT intact: ${error_code}`}.`,
        `Who acted was ${actor_authenticated ? '' : 'NOT '}authenticated.`,
      ],
      items: parts.map(({ name, ok, detail }) => ({
        text: `${name} ${ok === null ? 'does not apply' : ok ? 'holds' : 'FAILS'}: ${detail}`,
        data: { name, ok },
      })),
      itemsAs: 'checks',
      end: () => ({ data: { receipt_id: idOf('receipt', receiptId), verified } }),
    },
    budget,
  );
}

async function readFile(receiptId: string, as: 'receipt' | 'pack', servers: Servers): Promise<string> {
  const params = { receiptId };
  const { body } = await (as === 'pack'
    ? servers.call('api', 'GET /v1/proof/receipts/:receiptId/proofpack', { params })
    : servers.call('daemon', 'GET /v1/receipts/:receiptId', {
        params,
        query: { tenant_id: await servers.tenantId() },
      }));
  return JSON.stringify(body);
}
