import { Injectable } from '@nestjs/common';
import { decodeCursor, encodeCursor } from '../../../common/fields/cursor.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { FactListStore } from './fact-list.store.js';
import { FactReadStore } from './fact-read.store.js';
import { replyOf } from './fact-replies.js';
import type { ExportQuery, FactList, FactListQuery, FactsExport } from './fact-lists.dto.js';
import { readerOf } from './facts.service.js';
import type { FactListCensus, FactPlace, FactRow } from './facts.types.js';

/** Facts page by page: the list that is the authority for what is stored (memory-daemon.md 4.11), and the export. */
@Injectable()
export class FactListsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly lists: FactListStore,
    private readonly reads: FactReadStore,
  ) {}

  async list(caller: DaemonCaller, query: FactListQuery): Promise<FactList> {
    const after = placeOf(query.cursor);
    const { limit } = query;
    const filter = {
      includeReserved: query.include_reserved,
      includeSuperseded: query.include_superseded,
      entityPrefix: query.entity_prefix || undefined,
      q: query.q,
      asOfMs: query.as_of_unix_ms,
    };
    const tenantId = await this.tenants.enter(caller);
    const { rows, totalVisible, totalNondeleted } = await this.tenancy.run(tenantId, () =>
      this.lists.readPage(readerOf(caller, tenantId), filter, { after, limit: limit + 1 }),
    );
    return {
      ...pageOf(rows, limit, rows.length > limit),
      limit,
      total_nondeleted: totalNondeleted,
      total_visible: totalVisible,
    };
  }

  /** The totals of `list` in one look: current facts, those with reserved ones, and all versions. */
  async count(caller: DaemonCaller): Promise<FactListCensus> {
    const tenantId = await this.tenants.enter(caller);
    return this.tenancy.run(tenantId, () => this.lists.readCensus(readerOf(caller, tenantId)));
  }

  async export(caller: DaemonCaller, { since, cursor, limit }: ExportQuery): Promise<FactsExport> {
    const after = placeOf(cursor);
    const sinceMs = since === undefined ? undefined : Date.parse(since);
    const tenantId = await this.tenants.enter(caller);
    const { rows, hasMore, exportedAt } = await this.tenancy.run(tenantId, () =>
      this.reads.export(readerOf(caller, tenantId), { sinceMs, after, limit }),
    );
    return { ...pageOf(rows, limit, hasMore), exported_at: exportedAt.toISOString() };
  }
}

function placeOf(cursor: string | undefined): FactPlace | undefined {
  const key = decodeCursor(cursor, ['integer', 'bigint']);
  return key && { storedAtMs: key[0], seq: key[1] };
}

function pageOf(
  rows: FactRow[],
  limit: number,
  hasMore: boolean,
): Pick<FactList, 'facts' | 'has_more' | 'next_cursor'> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    facts: page.map((row) => replyOf(row)),
    has_more: hasMore,
    next_cursor: hasMore && last ? encodeCursor([last.stored_at.getTime(), last.seq]) : null,
  };
}
