import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { StoredVersion } from './engram-history.rules.js';

/** What the tenant has of an engram. */
export interface EngramHistory {
  /** Whether it is not deleted. */
  isLive: boolean;
  versions: StoredVersion[];
}

/** Payloads are the same where PostgreSQL compares them as the same JSON. */
const DIGEST = (payload: string): string => `encode(sha256(convert_to((${payload})::jsonb::text, 'UTF8')), 'hex')`;

/** Histories of engrams in the open unit of work; whoever reads one keeps others from writing to it. */
@Injectable()
export class EngramImportsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @returns of each payload its digest, in their order */
  async digests(payloads: readonly unknown[]): Promise<string[]> {
    const rows = await this.tenancy.query<{ digest: string }>(
      `select ${DIGEST('p.item')} as digest from json_array_elements($1::json) with ordinality p (item, place) order by p.place`,
      [JSON.stringify(payloads)],
    );
    return rows.map(({ digest }) => digest);
  }

  async histories(names: readonly string[]): Promise<Map<string, EngramHistory>> {
    const heads = await this.tenancy.query<{ name: string; is_deleted: boolean }>(
      `select e.id as name, e.is_deleted from graph_entity e where e.kind = 'engram' and e.id = any($1) order by e.id for update`,
      [names],
    );
    const rows = await this.tenancy.query<StoredVersion & { name: string }>(
      `select v.id as name, v.version, ${DIGEST('v.payload')} as digest from graph_entity_version v
       where v.kind = 'engram' and v.id = any($1) and not v.is_deleted order by v.id, v.version`,
      [names],
    );
    const found = new Map<string, EngramHistory>();
    for (const { name, is_deleted } of heads) found.set(name, { isLive: !is_deleted, versions: [] });
    for (const { name, version, digest } of rows) found.get(name)?.versions.push({ version, digest });
    return found;
  }
}
