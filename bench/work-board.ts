import type { TemporaryServer } from '../src/common/client/temporary-server.js';

export const TENANT = 'coordination';
const SCOPES = 'facts:write admin:read admin:write query:read';
const SEEDERS = 16;
/** So many items share a label that more of them are never held at once. */
const ITEMS_A_LABEL = 200;

export interface Board {
  /** Ids of the work items, in the order of the board. */
  items: string[];
  labels: string[];
}

export async function callDaemon<Body>(
  server: TemporaryServer,
  method: string,
  path: string,
  body?: object,
): Promise<Body> {
  const response = await fetch(server.daemonUrl + path, {
    method,
    headers: {
      'x-svc-scopes': SCOPES,
      'x-svc-tenant-id': TENANT,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Body;
}

/** Work that is ready, made through the daemon. */
export async function makeBoard(server: TemporaryServer, count: number): Promise<Board> {
  const items: string[] = [];
  const labels = Array.from({ length: Math.ceil(count / ITEMS_A_LABEL) }, (_, n) => `lane-${n}`);
  const seed = async (): Promise<void> => {
    while (items.length < count) {
      const number = items.push('') - 1;
      const work = await callDaemon<{ work_id: string }>(server, 'POST', '/v1/work', {
        project_id: 'bench',
        title: `Item ${number} of the bench`,
        created_by_passport: 'bench',
        state: 'ready',
        priority: number % 5,
        labels: [labels[number % labels.length]],
      });
      items[number] = work.work_id;
    }
  };
  await Promise.all(Array.from({ length: SEEDERS }, seed));
  return { items, labels };
}
