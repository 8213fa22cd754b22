import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { lockToCopy } from '../../../common/tenancy/copied-texts.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { ProjectsService } from '../projects/projects.service.js';
import { markdownOf } from './storybook-pages.rules.js';
import { statsOf, storybookOf } from './storybook-sections.rules.js';
import { StorybookSourcesService } from './storybook-sources.service.js';
import { StorybookRow } from './storybook.entity.js';
import type {
  StorybookDiff,
  StorybookDiffQuery,
  StorybookGenerated,
  StorybookQuery,
  StorybookShown,
  StorybookVersions,
  StorybookVersionsQuery,
} from './storybooks.dto.js';
import { storybookGenerated } from './storybooks.events.js';
import { StorybookUnknown } from './storybooks.problems.js';
import type { SentStorybook } from './storybooks.types.js';
import { sectionDiffsOf, storybookFile, storybookShown, VERSION_COLUMNS, versionOf } from './storybooks.views.js';

const NEWEST_FIRST = { order: { generatedAtUnixMs: 'desc' } } as const;

/** Storybooks: what is known of a project as one text, in versions (memory-daemon.md 2.4, 4.10; D67). */
@Injectable()
export class StorybooksService {
  private readonly rows: TenantRepository<StorybookRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly projects: ProjectsService,
    private readonly sources: StorybookSourcesService,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, StorybookRow);
  }

  /** @throws ProjectUnknown */
  generate(caller: DaemonCaller, projectId: string): Promise<StorybookGenerated> {
    return this.tenants.write(caller, undefined, async () => {
      await lockToCopy(this.tenancy);
      await this.projects.find(projectId);
      await this.tenancy.lock('storybook', projectId);
      const before = await this.findLatest(projectId);
      const book = storybookOf(await this.sources.gather(projectId));
      const content = markdownOf(book);
      const values = {
        ...{ projectId, ...book, content, stats: statsOf(book), bytes: Buffer.byteLength(content) },
        ...{ contentHash: blake3Digest(content), generatedAtUnixMs: await this.nextVersion(before) },
      };
      const { receiptId } = await this.audit.record(caller, storybookGenerated(values, book.sections.length));
      const by = { generatedByPassport: caller.passport ?? null, createdBy: caller.principal };
      const row = await this.rows.insert({ ...values, ...by, receiptId });
      return { ...versionOf(row), same_as_before: before?.contentHash === row.contentHash };
    });
  }

  /** @throws ProjectUnknown, StorybookUnknown */
  read(
    caller: DaemonCaller,
    projectId: string,
    ts: number | undefined,
    query: StorybookQuery,
  ): Promise<StorybookShown | SentStorybook> {
    const { format, section } = query;
    if (section !== undefined && (format === 'html' || format === 'zip'))
      throw invalid('query.section', `is of json and markdown alone; leave it out with format=${format}`);
    return this.tenants.run(caller, undefined, async () => {
      const row = await this.find(projectId, ts);
      return format === 'json' ? storybookShown(row, query) : storybookFile(row, query);
    });
  }

  /** @throws ProjectUnknown */
  listVersions(
    caller: DaemonCaller,
    projectId: string,
    { limit, cursor }: StorybookVersionsQuery,
  ): Promise<StorybookVersions> {
    const after = decodeCursor(cursor, ['integer']);
    return this.tenants.run(caller, undefined, async () => {
      await this.projects.find(projectId);
      const rows = await this.rows.listOnly(
        VERSION_COLUMNS,
        { projectId },
        { ...NEWEST_FIRST, after, take: limit + 1 },
      );
      const { page, has_more, next_cursor } = takePage(rows, limit, (row) => [row.generatedAtUnixMs]);
      const versions = page.map(versionOf);
      return { project_id: projectId, versions, count: page.length, has_more, next_cursor };
    });
  }

  /** @throws ProjectUnknown, StorybookUnknown */
  diff(caller: DaemonCaller, projectId: string, { a, b }: StorybookDiffQuery): Promise<StorybookDiff> {
    return this.tenants.run(caller, undefined, async () => {
      const [before, after] = [await this.find(projectId, a), await this.find(projectId, b)];
      const same = before.contentHash === after.contentHash;
      return { project_id: projectId, a, b, same, sections: sectionDiffsOf(before.sections, after.sections) };
    });
  }

  /** @param ts undefined: the latest */
  private async find(projectId: string, ts: number | undefined): Promise<StorybookRow> {
    await this.projects.find(projectId);
    const row = ts === undefined ? await this.findLatest(projectId) : await this.findAt(projectId, ts);
    if (row) return row;
    throw new StorybookUnknown(
      { project_id: projectId, generated_at_unix_ms: ts ?? null },
      ts === undefined
        ? 'None was generated yet: POST /v1/projects/{id}/storybook makes one'
        : 'GET /v1/projects/{id}/storybook/versions lists those there are',
    );
  }

  private async findAt(projectId: string, ts: number): Promise<StorybookRow | undefined> {
    return Number.isSafeInteger(ts) ? this.rows.find({ projectId, generatedAtUnixMs: ts }) : undefined;
  }

  private async findLatest(projectId: string): Promise<StorybookRow | undefined> {
    return (await this.rows.list({ projectId }, { ...NEWEST_FIRST, take: 1 }))[0];
  }

  /** The time, or the next free version where one of this millisecond is there. */
  private async nextVersion(before: StorybookRow | undefined): Promise<number> {
    const [row] = await this.tenancy.query<{ ms: string }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as ms',
    );
    return Math.max(Number(row!.ms), (before?.generatedAtUnixMs ?? 0) + 1);
  }
}
