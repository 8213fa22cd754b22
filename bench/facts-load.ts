import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { Pool } from 'pg';
import { answerPlan } from './child.js';
import { runClosedLoop } from './closed-loop.js';
import { factOf, type FactsPlan } from './facts-load.types.js';
import type { LoadResult } from './load.types.js';
import { send } from './requests.js';

/** A process of its own that stores and reads facts, so that sending does not share the server's thread. */
answerPlan<FactsPlan, LoadResult>(async (plan) => {
  if (plan.kind === 'insert') return insertRows(plan);
  const agent = new Agent({ keepAlive: true, maxSockets: plan.clients, scheduling: 'fifo' });
  const headers = { 'x-svc-scopes': plan.scopes, 'x-svc-tenant-id': plan.tenantId, 'content-type': 'application/json' };
  try {
    return await runClosedLoop(plan, (number) =>
      plan.kind === 'put'
        ? send(agent, plan.url, { method: 'PUT', headers, body: JSON.stringify(factOf(plan.run, number)) })
        : send(agent, plan.urls[number % plan.urls.length]!, { method: 'GET', headers }),
    );
  } finally {
    agent.destroy();
  }
});

/**
 * Each client inserts one row and commits it, as a program would that keeps its facts in a table by itself; every row
 * is the first of its chain.
 */
async function insertRows(plan: FactsPlan & { kind: 'insert' }): Promise<LoadResult> {
  const pool = new Pool({ connectionString: plan.databaseUrl, max: plan.clients });
  try {
    return await runClosedLoop(plan, async (number) => {
      const { entity, key, value } = factOf(plan.run, number);
      const { rowCount } = await pool.query({
        ...(plan.isPrepared && { name: 'insert' }),
        text: `insert into ${plan.table} (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, confidence,
            horizon_class, tokens, stored_at)
          values ('default', nextval('bench.seq'), $1, sha256(uuid_send($1)), 1, 0, '', $2, $3, $4, 'anonymous', 1, 'durable', 30, now())`,
        values: [randomUUID(), entity, key, value],
      });
      return rowCount === 1;
    });
  } finally {
    await pool.end();
  }
}
