import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { ImportedSession, ImportedStep } from './observe.types.js';

/** Sessions of another server, in the open unit of work. */
@Injectable()
export class SessionImportsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @returns the ids of those that were not there */
  async addSessions(sessions: readonly ImportedSession[]): Promise<Set<string>> {
    const rows = await this.tenancy.query<{ session_id: string }>(
      `insert into observe_session (tenant_id, session_id, opened_by, opened_at)
       select $1, i.session_id, i.opened_by, i.opened_at
       from json_to_recordset($2::json) i (session_id text, opened_by text, opened_at timestamptz) order by i.session_id
       on conflict (tenant_id, session_id) do nothing returning session_id`,
      [
        this.tenancy.tenant,
        JSON.stringify(sessions.map(({ session_id, opened_by, opened_at }) => ({ session_id, opened_by, opened_at }))),
      ],
    );
    return new Set(rows.map(({ session_id }) => session_id));
  }

  /** Steps of such sessions, each after its parent. They are automatic ones: no receipt of this server opened them. */
  async addSteps(steps: readonly (ImportedStep & { session_id: string; place: number[] })[]): Promise<void> {
    await this.tenancy.query(ADD_STEPS, [this.tenancy.tenant, JSON.stringify(steps)]);
  }

  /** As many numbers for paths, in their order. */
  async drawPlaces(count: number): Promise<number[]> {
    const rows = await this.tenancy.query<{ place: string }>(
      `select nextval('observe_step_seq') as place from generate_series(1, $1::int)`,
      [count],
    );
    return rows.map(({ place }) => Number(place));
  }
}

const ADD_STEPS = `
  insert into observe_step (tenant_id, session_id, node_id, parent_id, path, depth, label, actor, kind, risk_class, status, private, owner,
    ts_start, ts_end, inputs, outputs, auto, opened_at, closed_at)
  select $1, i.session_id, i.node_id, i.parent_id,
    (select string_agg(lpad(to_hex(p.n::bigint), 10, '0'), '' order by p.at) from json_array_elements_text(i.place) with ordinality p (n, at)),
    json_array_length(i.place) - 1, i.label, i.actor, i.kind, i.risk_class, i.status, i.private, i.owner, i.ts_start, i.ts_end, i.inputs,
    i.outputs, true, i.ts_start, i.ts_end
  from json_to_recordset($2::json) i (session_id text, node_id text, parent_id text, place json, label text, actor text, kind text,
    risk_class text, status text, private boolean, owner text, ts_start timestamptz, ts_end timestamptz, inputs jsonb, outputs jsonb)`;
