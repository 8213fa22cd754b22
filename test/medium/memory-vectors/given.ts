import type { TestApi } from '../../kit/app.js';
import type { DaemonCall } from '../../kit/daemon.js';

export async function until(holds: () => Promise<boolean>, ms = 30_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const TABLES = {
  ...{ fact: 'fact', case: 'memory_case', engram: 'graph_entity_version', candidate: 'candidate' },
} as const;

/** Waits until everything of a kind that the tenant stored was looked at in the space that is filled. */
export const settled = (api: TestApi, tenantId: string, kind: keyof typeof TABLES = 'fact'): Promise<void> =>
  until(async () => {
    const [row] = await api.database.query<{ done: boolean }>(
      `select coalesce((select s.position from memory_vector_state s join vector_space v using (space_id)
         where s.tenant_id = $1 and s.kind = $2 and v.state <> 'retired' order by v.state limit 1), 0)
         >= (select max(seq) from ${TABLES[kind]} where tenant_id = $1) as done`,
      [tenantId, kind],
    );
    return row!.done;
  });

/** The entities that a query finds, best first. */
export async function factsOf(call: DaemonCall, query: string): Promise<string[]> {
  const { body } = await call('GET', `/v1/facts?query=${encodeURIComponent(query)}&top_k=50`);
  return (body.facts as { entity: string }[]).map(({ entity }) => entity);
}
