import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { inRounds } from '../../../common/database/rounds.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { keyOf } from './edges.store.js';
import type { EdgeIdentity } from './graph.types.js';

/** Lists of entities and edges in the open unit of work, one statement a list. */
@Injectable()
export class GraphImportsStore {
  constructor(private readonly tenancy: Tenancy) {}

  storeEntities(entities: readonly { kind: string; id: string; payload: unknown }[], actor: string): Promise<number> {
    const rounds = roundsOf(entities, ({ kind, id }) => [kind, id]);
    return this.storeRounds('select svc_store_entities($1, $2, $3) as stored', rounds, actor);
  }

  storeEdges(edges: readonly (EdgeIdentity & { payload: unknown })[], actor: string): Promise<number> {
    return this.storeRounds('select svc_store_edges($1, $2, $3) as stored', roundsOf(edges, keyOf), actor);
  }

  private async storeRounds(sql: string, rounds: object[][], actor: string): Promise<number> {
    if (rounds.length === 0) return 0;
    const [row] = await this.tenancy.query<{ stored: number }>(sql, [
      this.tenancy.tenant,
      JSON.stringify(rounds),
      actor,
    ]);
    return row!.stored;
  }
}

/** Each with the id of the event that will report it. */
const roundsOf = <T extends object>(list: readonly T[], nameOf: (item: T) => string[]): object[][] =>
  inRounds(
    list.map((item) => ({ ...item, event: uuid() })),
    nameOf,
  );
