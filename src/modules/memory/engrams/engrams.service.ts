import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { analyzerFor } from '../../../search/analysis.js';
import { rankTexts } from '../../../search/few-texts.js';
import { DEFAULT_LANGUAGE } from '../../../search/languages.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { EngramLabelsService } from './engram-labels.service.js';
import { EngramReadsService } from './engram-reads.service.js';
import type { EngramList, EngramReply, EngramsQuery, EngramVersions } from './engrams.dto.js';
import { EngramUnknown } from './engrams.problems.js';
import { EngramsStore } from './engrams.store.js';
import { labelOf, recordOf, withContent } from './engrams.views.js';

/** The engrams of a tenant, to be looked at. They are stored as entities of the kind engram. */
@Injectable()
export class EngramsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly store: EngramsStore,
    private readonly reads: EngramReadsService,
    private readonly labels: EngramLabelsService,
  ) {}

  list(caller: DaemonCaller, asked: EngramsQuery): Promise<EngramList> {
    return asked.query === undefined ? this.page(caller, asked) : this.search(caller, { ...asked, query: asked.query });
  }

  private async search(
    caller: DaemonCaller,
    { query, intent_bucket: bucket, limit, cursor }: EngramsQuery & { query: string },
  ): Promise<EngramList> {
    if (cursor !== undefined) throw invalid('query.cursor', 'goes with no query: what is found is on one page');
    const tenantId = await this.tenants.enter(caller);
    const near = await this.reads.findNear(tenantId, query);
    const all = await this.tenancy.runOnSnapshot(tenantId, () => this.reads.list());
    const engrams = new Map(
      all.filter(({ intentBucket }) => bucket === undefined || intentBucket === bucket).map((one) => [one.name, one]),
    );
    const texts = [...engrams.values()].map(({ name, description, content }) => ({
      ...{ id: name, text: `${name}\n${description}\n${content}` },
    }));
    const found = await rankTexts(analyzerFor(DEFAULT_LANGUAGE), query, texts, near);
    return {
      engrams: found.slice(0, limit).map((name) => recordOf(engrams.get(name)!)),
      total: found.length,
      schema: 'svc.engrams/1',
      has_more: false,
      next_cursor: null,
    };
  }

  private page(caller: DaemonCaller, { intent_bucket: bucket, limit, cursor }: EngramsQuery): Promise<EngramList> {
    const [after] = decodeCursor(cursor, ['text']) ?? [];
    return this.tenants.runOnSnapshot(caller, undefined, async () => {
      const own = await this.store.list({ intentBucket: bucket, after, limit: limit + 1 });
      const files = (await this.reads.listFiles()).filter(
        ({ intentBucket }) => bucket === undefined || intentBucket === bucket,
      );
      const rest = files.filter(({ name }) => after === undefined || name > after);
      const both = [...own, ...rest].sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, limit + 1);
      const { page, has_more, next_cursor } = takePage(both, limit, ({ name }) => [name]);
      return {
        engrams: page.map(recordOf),
        total: (await this.store.count(bucket)) + files.length,
        schema: 'svc.engrams/1',
        has_more,
        next_cursor,
      };
    });
  }

  /** @throws EngramUnknown */
  read(caller: DaemonCaller, name: string): Promise<EngramReply> {
    return this.tenants.runOnSnapshot(caller, undefined, async () => {
      const [engram] = await this.reads.list([name]);
      if (!engram) throw unknownEngram(name);
      const labels = await this.labels.listOf(name);
      return { engram: withContent(engram), labels: labels.map(labelOf), schema: 'svc.engram/1' };
    });
  }

  /** A file has the version that it is in. @throws EngramUnknown */
  listVersions(caller: DaemonCaller, name: string, { limit, cursor }: PageQuery): Promise<EngramVersions> {
    const [after] = decodeCursor(cursor, ['integer']) ?? [];
    return this.tenants.runOnSnapshot(caller, undefined, async () => {
      const stored = await this.store.listVersions(name, after, limit + 1);
      const rows = stored.length === 0 && after === undefined ? await this.reads.listFiles([name]) : stored;
      if (rows.length === 0 && after === undefined) throw unknownEngram(name);
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ version }) => [version]);
      return {
        versions: page.map(withContent),
        schema: 'svc.engram-versions/1',
        has_more,
        next_cursor,
      };
    });
  }
}

const unknownEngram = (name: string): EngramUnknown =>
  new EngramUnknown({ name }, 'GET /v1/engrams lists those there are; PUT /v1/entities/engram/{name} stores one');
