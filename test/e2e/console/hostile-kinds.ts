import type { TestTenant } from '../../kit/app.js';
import type { DaemonCall } from '../../kit/daemon.js';
import { makePeer } from '../../kit/peer.js';

const WINDOW = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' };

/** A kind of record with a text that a screen shows. */
export interface Kind {
  name: string;
  /** @returns the answer, of which addressOf makes the address of its screen */
  store(text: string, index: number): Promise<{ status: number; body: any }>;
  addressOf?(body: any, index: number): string;
}

/** What records of some kinds belong to. */
export interface Given {
  daemon: DaemonCall;
  tenant: TestTenant;
  /** A passage that answers cite. */
  chunkId: string;
  /** A work item that comments are on. */
  workId: string;
}

/** A part of an address. */
const id = (value: string | undefined) => encodeURIComponent((value ?? '').toWellFormed());

export const kindsOf = (given: Given): Kind[] => [
  ...kindsOfMemory(given),
  ...kindsOfKnowledge(given),
  ...kindsOfWork(given),
  ...kindsOfGovernance(given),
  ...kindsOfPeople(given),
];

function kindsOfMemory({ daemon }: Given): Kind[] {
  const fact = (members: (text: string, index: number) => object) => (text: string, index: number) =>
    daemon('PUT', '/v1/facts', { entity: `hostile:${index}`, key: 'text', value: 'text', ...members(text, index) });
  const factAddress = ({ fact_id }: { fact_id: string }) => `/facts/${id(fact_id)}`;
  return [
    { name: 'value of a fact', store: fact((value) => ({ value })), addressOf: factAddress },
    { name: 'key of a fact', store: fact((key) => ({ key })), addressOf: factAddress },
    { name: 'entity of a fact', store: fact((entity) => ({ entity })), addressOf: factAddress },
    {
      name: 'entity',
      store: (text, index) =>
        daemon('PUT', `/v1/entities/hostile/${id(text || String(index))}`, { payload: { [text]: text } }),
      addressOf: (body) => `/graph/hostile/${id(body.entity?.id ?? body.id)}`,
    },
    {
      name: 'edge',
      store: (text) =>
        daemon('PUT', '/v1/edges', {
          ...{ from_kind: 'hostile', from_id: 'a', edge_kind: 'names', to_kind: 'hostile', to_id: text },
        }),
      addressOf: () => '/graph/hostile/a',
    },
    {
      name: 'engram',
      store: (text, index) =>
        daemon('PUT', `/v1/entities/engram/hostile-${index}`, {
          payload: {
            content: text,
            // Bounded, where the content takes long ones.
            ...(text.length <= 64 ? { intent_bucket: text } : {}),
            ...(text.length <= 1_000 ? { description: text, query_pattern: text } : {}),
          },
        }),
      addressOf: (_, index) => `/engrams/hostile-${index}`,
    },
    {
      name: 'case',
      store: (text) =>
        daemon('POST', '/v1/cases', {
          ...{ task: text, action: text, outcome: text, context: text, lesson: text },
          tags: text.length <= 120 ? [text] : [],
        }),
      addressOf: (body) => `/cases/${id(body.case?.case_id ?? body.case_id)}`,
    },
  ];
}

function kindsOfKnowledge({ tenant: { call: api, tenantId }, chunkId }: Given): Kind[] {
  // The key of the body is the one that counts, and no other goes with it.
  const cite = (body: object) => api('POST', '/v1/citations', body, { 'x-idempotency-key': '' });
  return [
    {
      name: 'document',
      store: async (text, index) => {
        const place = { tenantId, corpusId: 'hostile', docId: `doc-${index}`, shareability: 'owner_only' };
        const document = { ...place, title: text, content: text, url: 'https://example.com/' };
        return api('POST', '/v1/ingest/batch', { documents: [document] });
      },
      addressOf: (_, index) => `/documents/hostile/doc-${index}`,
    },
    {
      name: 'answer',
      store: (text, index) => {
        const citations = [{ chunkId, note: text.slice(0, 2_000) }];
        const answer = { agentId: text.slice(0, 120), answerId: `answer-${index}`, answerText: text, citations };
        return cite({ ...answer, idempotencyKey: `answer-${index}` });
      },
      addressOf: (_, index) => `/answers/answer-${index}`,
    },
    {
      name: 'id of an answer',
      store: (text, index) => {
        const citations = [{ chunkId }];
        return cite({ agentId: 'a', answerId: text, citations, idempotencyKey: `named-${index}` });
      },
      addressOf: (body) => `/answers/${id(body.answerId)}`,
    },
  ];
}

function kindsOfWork({ daemon, workId }: Given): Kind[] {
  const work = { project_id: 'hostile', created_by_passport: 'keeper', state: 'ready' };
  const dossier = {
    ...{ project_id: 'hostile', agent_passport: 'keeper', generated_at_unix_ms: 0 },
    ...{ based_on: { facts: [], receipts: [], chunks: [], as_of_unix_ms: 0 }, contradictions: [], stats: {} },
  };
  return [
    {
      name: 'work item',
      store: (text) => daemon('POST', '/v1/work', { ...work, title: text, body: text }),
      addressOf: (body) => `/work/${id(body.id)}`,
    },
    {
      name: 'label of work',
      store: (text) => daemon('POST', '/v1/work', { ...work, title: 'labelled', labels: [text] }),
    },
    {
      name: 'comment',
      store: (body) => daemon('POST', `/v1/work/${workId}/comments`, { author_passport: 'keeper', body }),
      addressOf: () => `/work/${workId}`,
    },
    {
      name: 'step',
      store: (text, index) =>
        daemon('POST', '/v1/observe/sessions/hostile/steps', {
          ...{ node_id: `step-${index}`, label: text, actor: text, private: false, ts_start: WINDOW.from },
        }),
      addressOf: () => '/sessions/hostile',
    },
    {
      name: 'project',
      store: (text, index) =>
        daemon('POST', '/v1/projects', { id: `hostile-${index}`, name: text, default_passport_id: 'keeper' }),
      addressOf: (body) => `/projects/${id(body.project?.id ?? body.id)}`,
    },
    {
      name: 'layer',
      store: (content) => daemon('PUT', '/v1/projects/hostile-0/layers/style', { content }),
      addressOf: () => '/projects/hostile-0/layers',
    },
    {
      // Its storybook has a statement of each.
      name: 'fact of a project',
      store: (value, index) => daemon('PUT', '/v1/facts', { entity: 'project:hostile', key: `text-${index}`, value }),
    },
    {
      name: 'dossier',
      store: (text, index) =>
        daemon('POST', '/v1/projects/hostile/dossiers', {
          ...{ ...dossier, dossier_id: `dossier-${index}`, claims: [{ claim_id: 'a', text, anchors: [] }] },
          ...{ uncertainties: [{ claim_id: 'a', reason: text }], open_questions: [text] },
        }),
    },
  ];
}

function kindsOfGovernance({ daemon, tenant: { tenantId } }: Given): Kind[] {
  return [
    {
      name: 'incident',
      store: (title) => daemon('POST', '/v1/incidents', { tenant_id: tenantId, title, window: WINDOW }),
      addressOf: (body) => `/incidents/${id(body.case.incident_id)}`,
    },
    {
      name: 'hold',
      store: (text, index) =>
        daemon('POST', '/v1/legal-holds', {
          ...{ tenant_id: tenantId, reason: text, entity_prefixes: [`nothing:${index}`] },
        }),
      addressOf: (body) => `/holds/${id(body.hold.id)}`,
    },
    {
      name: 'prefix of a hold',
      store: (text) =>
        daemon('POST', '/v1/legal-holds', { tenant_id: tenantId, reason: 'r', entity_prefixes: [`n:${text}`] }),
    },
  ];
}

function kindsOfPeople({ daemon, tenant: { call: api } }: Given): Kind[] {
  return [
    { name: 'seat', store: (text) => api('POST', '/v1/org/invite', { email: `${text}@example.org` }) },
    { name: 'API key', store: (label) => api('POST', '/v1/org/api-keys', { label }) },
    {
      name: 'passport',
      store: (text, index) => daemon('POST', '/v1/passports', { passport_id: `p-${index}`, display_name: text }),
      addressOf: (body) => `/passports/${id(body.passport?.passport_id ?? body.passport_id)}`,
    },
    {
      name: 'request for a passport',
      store: (text, index) =>
        daemon('POST', '/v1/passport/mint-requests', { passport_id: `m-${index}`, by_passport: 'keeper', why: text }),
    },
    { name: 'lease', store: (text) => daemon('POST', '/v1/punchcards/acquire', { resource: text, mode: 'read' }) },
    {
      name: 'prefix of a peer',
      store: (text, index) =>
        daemon('POST', '/v1/sync/peers', {
          ...{ peer_id: `hostile-${index}`, public_key: makePeer().publicKey, scopes: ['facts:read'] },
          ...{ entity_prefixes: [text], direction: 'pull' },
        }),
    },
  ];
}
