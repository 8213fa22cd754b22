import { setTimeout as sleep } from 'node:timers/promises';
import { documentIdOf } from '../../../common/contract/document-ids.js';
import { Integer, Text } from '../../../common/fields/fields.js';
import { AgentAnswer } from '../agent-answer.js';
import { idOf } from '../agent-ids.rules.js';
import { agentTool } from '../agent-tool.js';
import type { Servers } from '../servers.js';

class IngestArguments {
  @Text({ about: 'Text, Markdown or HTML.', min: 1, max: 4 * 1024 * 1024 })
  content!: string;

  @Text({ about: 'Title.', min: 1, max: 2_000 })
  title!: string;

  @Text({ about: 'Of corpus/doc; the same again replaces it.', optional: true, min: 1, max: 512 })
  doc_id?: string;

  @Text({ about: 'Corpus.', min: 1, max: 512, default: 'notes' })
  corpus_id!: string;

  @Text({ about: 'Where it can be read.', optional: true, min: 1, max: 2_000 })
  url?: string;

  @Integer({ about: 'How long to wait until it is searchable.', min: 0, max: 30, default: 10 })
  wait_seconds!: number;
}

/** Where a document of an agent's own can be read: here. */
const OWN_URL = 'https://svc.invalid/documents/';
const LOOK_MS = 150;

export const INGEST = agentTool<IngestArguments>({
  name: 'ingest',
  title: 'Ingest a document',
  description: 'Adds a document to what search finds, with a receipt.',
  given: IngestArguments,
  routes: ['api POST /v1/ingest', 'api GET /v1/ingest/:id'],
  isRead: false,
  once: 'api',
  run: ingest,
});

async function ingest(given: IngestArguments, servers: Servers): Promise<AgentAnswer> {
  const { corpus_id: corpusId, doc_id: docId = servers.newId(), title, content } = given;
  const id = documentIdOf({ corpusId, docId });
  const url = given.url ?? `${OWN_URL}${encodeURIComponent(corpusId)}/${encodeURIComponent(docId)}`;
  const body = { tenantId: await servers.tenantId(), corpusId, docId, title, content, url };
  const { body: accepted } = await servers.call<Accepted>('api', 'POST /v1/ingest', { body });
  const { status, error } = await follow(accepted.ingestId, given.wait_seconds, servers);
  const receipt = accepted.receiptId === undefined ? {} : { receipt_id: idOf('receipt', accepted.receiptId) };
  const data = { id: idOf('document', id), status, ...receipt };
  if (status === 'completed') return new AgentAnswer(`${id} is searchable.`, data);
  if (status === 'failed') return new AgentAnswer(`${id} was not taken: ${error ?? 'no reason was given'}`, data);
  return new AgentAnswer(`${id} is accepted and will be searchable soon; it is ${status}.`, data);
}

interface Accepted {
  ingestId: string;
  receiptId?: string;
}

interface Status {
  status: 'queued' | 'processing' | 'completed' | 'failed';
  error?: string | null;
}

async function follow(id: string, seconds: number, servers: Servers): Promise<Status> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const { body } = await servers.call<Status>('api', 'GET /v1/ingest/:id', { params: { id } });
    if (body.status === 'completed' || body.status === 'failed' || performance.now() >= until) return body;
    await sleep(LOOK_MS);
  }
}
