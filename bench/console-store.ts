export interface StoreSizes {
  facts: number;
  receipts: number;
  steps: number;
}

/** Of a server on this machine, and of the database below it as svc_operator. */
export interface Store {
  daemonUrl: string;
  tenantId: string;
  query: (sql: string, parameters: unknown[]) => Promise<unknown>;
}

export const SESSION = 'bench-run';
const FACTS_A_STATEMENT = 2_000;
/** Steps right below the root, each with the same share of the others below it. */
const AGENTS = 200;
const SCOPES = 'facts:write receipts:read query:read';
const BEGAN = '2026-11-23T09:00:00Z';
/** Facts that are stored by the route, so that there are receipts to make the others of. */
const BY_ROUTE = 20;

/**
 * A store as the product makes it, but past its routes where they would take hours: facts by the function that stores
 * them, receipts and steps as copies of rows that routes made. Copies of receipts are listed like all others, but no
 * signature is of them.
 */
export async function fillStore(store: Store, sizes: StoreSizes): Promise<void> {
  const steps = `/v1/observe/sessions/${SESSION}/steps`;
  await put(store, 'POST', steps, { node_id: 'root', label: 'Run of the day', actor: 'agent:bench', ts_start: BEGAN });
  await put(store, 'POST', steps, STEP);
  await put(store, 'PATCH', `${steps}/first`, { status: 'ok', ts_end: '2026-11-23T09:00:02Z' });
  for (let n = 0; n < BY_ROUTE; n++)
    await put(store, 'PUT', '/v1/facts', { entity: `order:${n}`, key: 'state', value: 'paid, and on its way' });
  const { tenantId, query } = store;
  for (let from = 0; from < sizes.facts; from += FACTS_A_STATEMENT) {
    const count = Math.min(FACTS_A_STATEMENT, sizes.facts - from);
    const round = Array.from({ length: count }, (_, at) => draftOf(from + at));
    await query('select count(*) from svc_store_facts($1, $2)', [tenantId, JSON.stringify([round])]);
  }
  await query(COPY_RECEIPTS, [tenantId, sizes.receipts]);
  await query(COPY_STEPS, [tenantId, SESSION, sizes.steps, AGENTS]);
}

const STEP = {
  ...{ node_id: 'first', parent_id: 'root', label: 'Look up the price of a bolt', actor: 'model:large' },
  ...{ kind: 'tool', ts_start: BEGAN, inputs: [{ kind: 'text', text: 'What does a bolt of 8 mm cost?' }] },
};

async function put(store: Store, method: string, path: string, body: object): Promise<void> {
  const response = await fetch(store.daemonUrl + path, {
    method,
    headers: {
      ...{ 'content-type': 'application/json', 'x-svc-scopes': SCOPES, 'x-svc-tenant-id': store.tenantId },
      'x-svc-session-id': SESSION,
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
}

/** Every fifth fact is a new version of one of an earlier statement. */
function draftOf(number: number) {
  const chain = number % 5 === 4 && number > FACTS_A_STATEMENT ? number - FACTS_A_STATEMENT - 1 : number;
  return {
    ...{ fact_id: crypto.randomUUID(), owner: '', visibility: 0, actor: 'bench', confidence: 1, tokens: 20 },
    entity: `order:${chain % 50_021}`,
    key: `note-${chain}`,
    value: `Note ${number}: the parcel was scanned in hall ${number % 97} on floor ${number % 11} and goes on by train.`,
    horizon_class: 'durable',
  };
}

/** One a millisecond back from the newest, in a stream of their own, of as many kinds and principals as there were. */
const COPY_RECEIPTS = `
  insert into receipt (tenant_id, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, session)
  select r.tenant_id, gen_random_uuid(), 'bench/copies', n, r.prev_hash, r.payload_hash, r.kind, r.actor, 'order:' || n,
    r.occurred_at - n * interval '1 second', r.cose, r.session
  from (select *, row_number() over (order by seq, stream) - 1 as number, count(*) over () as count from receipt where tenant_id = $1) r
  join generate_series(1, $2::int) n on n % r.count = r.number`;

/** Past those that the routes drew. */
const placeOf = (number: string): string => `lpad(to_hex(1000000 + ${number}), 10, '0')`;

/** Below the root stand agents, below each of them its part of the others. */
const COPY_STEPS = `
  insert into observe_step (tenant_id, session_id, node_id, parent_id, path, depth, label, actor, kind, risk_class, status, private, owner,
    ts_start, ts_end, inputs, outputs, open_receipt, close_receipt, open_digest, close_digest, salt)
  select s.tenant_id, s.session_id, 'step-' || n, case when n <= $4 then 'root' else 'step-' || (n % $4 + 1) end,
    root.path || case when n > $4 then ${placeOf('n % $4 + 1')} else '' end || ${placeOf('n')},
    case when n <= $4 then 1 else 2 end, s.label || ' of size ' || n % 97, s.actor, case when n <= $4 then 'agent' else s.kind end, s.risk_class,
    case when n % 50 = 0 then 'error' else 'ok' end, false, s.owner, s.ts_start + n * interval '1 second', s.ts_end + n * interval '1 second',
    s.inputs, s.outputs, s.open_receipt, s.close_receipt, s.open_digest, s.close_digest, s.salt
  from observe_step s
  join observe_step root on root.tenant_id = s.tenant_id and root.session_id = s.session_id and root.node_id = 'root'
  cross join generate_series(1, $3::int - 2) n
  where s.tenant_id = $1 and s.session_id = $2 and s.node_id = 'first'`;
