import { ALL_SCOPES, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import type { Answer } from '../../kit/app.js';

const COLLECTIONS = ['holds', 'tombstones', 'entities', 'edges', 'facts', 'relations', 'cases'] as const;
export type Name = (typeof COLLECTIONS)[number];
export interface Item {
  collection: Name;
  id: string[];
  vector: Record<string, number>;
  origin: { writer: string; seq: number; hash: string | null };
  deleted: boolean;
  content?: Record<string, unknown> | null;
  digest: string;
  position?: number;
}
export interface Manifest {
  membership_epoch: string;
  origin: string;
  position: number;
  collections: { name: Name; count: number; position: number; root: string }[];
  differs: string[];
  [member: string]: unknown;
}

/** One of several replicas: a tenant of a daemon. */
export class Replica {
  readonly call: DaemonCall;

  constructor(
    readonly daemon: TestDaemon,
    readonly tenant: string,
  ) {
    this.call = daemon.as({ tenant, scopes: ALL_SCOPES, passport: 'ada' });
  }

  at(path: string): string {
    return `/v1/sync/tenants/${this.tenant}/${path}`;
  }

  async ok<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer: Answer = await this.call(method, path, body);
    if (answer.status !== 200 && answer.status !== 201)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  }

  manifest = (query = ''): Promise<Manifest> => this.ok('GET', this.at(`manifest${query}`));

  async roots(): Promise<Record<string, string>> {
    const { collections } = await this.manifest();
    return Object.fromEntries(collections.map(({ name, root, count }) => [name, `${count} ${root}`]));
  }

  async all(collection: Name, limit = 500): Promise<Item[]> {
    const items: Item[] = [];
    let cursor: string | null = null;
    do {
      const query: string = `limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`;
      const page: { items: Item[]; next_cursor: string | null } = await this.ok(
        'GET',
        this.at(`collections/${collection}?${query}`),
      );
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return items;
  }

  async everything(): Promise<Item[]> {
    const items: Item[] = [];
    for (const name of COLLECTIONS) items.push(...(await this.all(name)));
    return items;
  }

  async take(
    records: readonly Item[],
  ): Promise<{ applied_count: number; counts: { verdict: string; count: number }[] }> {
    const { confirm_hash } = await this.ok<{ confirm_hash: string }>('POST', this.at('promotions/preview'), {
      records,
    });
    return this.ok('POST', this.at('promotions/confirm'), { records, confirm_hash });
  }

  async pull(other: Replica): Promise<void> {
    await this.take(await other.everything());
  }

  fact = (entity: string, key: string, value: string) =>
    this.ok<{ fact_id: string }>('PUT', '/v1/facts', { entity, key, value });

  async forget(entity: string, key: string): Promise<void> {
    const { facts } = await this.ok<{ facts: { fact_id: string; key: string }[] }>(
      'GET',
      `/v1/facts?entity=${encodeURIComponent(entity)}`,
    );
    await this.ok('DELETE', `/v1/facts/${facts.find((one) => one.key === key)!.fact_id}`);
  }

  async valueOf(entity: string, key: string): Promise<string | undefined> {
    const { facts } = await this.ok<{ facts: { value: string; key: string }[] }>(
      'GET',
      `/v1/facts?entity=${encodeURIComponent(entity)}`,
    );
    return facts.find((one) => one.key === key)?.value;
  }
}
