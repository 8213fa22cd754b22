import { Injectable } from '@nestjs/common';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { KindRules } from './kind-rules.service.js';
import { KindUnknown } from './graph.problems.js';
import type { Kind } from './graph.types.js';
import type { KindAddress, KindList, KindRegistration, KindReply } from './kinds.dto.js';
import { KindsStore } from './kinds.store.js';

/**
 * The kinds that entities and edges of the caller's tenant make use of. Nobody registers one: it is there from its
 * first use on, and stays.
 */
@Injectable()
export class KindsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: KindsStore,
    private readonly rules: KindRules,
  ) {}

  /** @throws KindUnknown */
  async read(caller: DaemonCaller, { kind }: KindAddress): Promise<KindReply> {
    const found = await this.tenants.run(caller, undefined, () => this.store.find(kind));
    if (!found) throw new KindUnknown({ kind }, 'A kind is there once an entity or an edge of it is stored');
    return { registration: this.registrationOf(found) };
  }

  async list(caller: DaemonCaller, { limit, cursor }: PageQuery): Promise<KindList> {
    const [after] = decodeCursor(cursor, ['text']) ?? [];
    const rows = await this.tenants.run(caller, undefined, () => this.store.list({ after, limit: limit + 1 }));
    const { page, next_cursor } = takePage(rows, limit, ({ kind }) => [kind]);
    return { count: page.length, kinds: page.map((one) => this.registrationOf(one)), next_cursor };
  }

  private registrationOf({ kind, usedBy, firstSeenAt, entityCount, edgeCount }: Kind): KindRegistration {
    return {
      kind,
      used_by: usedBy,
      first_seen_at: firstSeenAt.toISOString(),
      entity_count: entityCount,
      edge_count: edgeCount,
      payload_schema: this.rules.schemaOf(kind) ?? null,
    };
  }
}
