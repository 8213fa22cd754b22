import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { namedPassport } from '../../../common/bearer-auth/named-passport.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { FenceCheckService } from '../leases/fence-check.service.js';
import type { CreateComment, WorkComment, WorkComments, WorkTransitions } from './work-records.dto.js';
import { WorkLinksService } from './work-links.service.js';
import { checkChangeable } from './plans/changeable.js';
import { WorkService } from './work.service.js';
import { WorkStore } from './work.store.js';
import { commentOf, transitionOf } from './work.views.js';

const ONLY_PAGE = { has_more: false, next_cursor: null };

/** What was said of an item, and how it moved. */
@Injectable()
export class WorkRecordsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: WorkStore,
    private readonly fences: FenceCheckService,
    private readonly links: WorkLinksService,
    private readonly work: WorkService,
  ) {}

  /** @throws WorkUnknown, PassportHeaderMismatch, FenceStale; ValidationFailed for work of a plan file */
  comment(caller: DaemonCaller, id: string, request: CreateComment, fence?: number): Promise<WorkComment> {
    const authorPassport = namedPassport(caller, request.author_passport, 'body.author_passport')!;
    checkChangeable(id);
    const { body } = request;
    return this.tenants.write(caller, undefined, async () =>
      commentOf(
        await this.links.comment(caller, id, { authorPassport, body }, () =>
          this.fences.check(fence, { kind: 'work', subject: id }),
        ),
      ),
    );
  }

  /** None of work of a plan file. @throws WorkUnknown */
  async listComments(caller: DaemonCaller, workId: string, { limit, cursor }: PageQuery): Promise<WorkComments> {
    const after = decodeCursor(cursor, ['integer', 'uuid']);
    if (await this.work.isPlanned(caller, workId)) return { comments: [], work_id: workId, ...ONLY_PAGE };
    return this.tenants.run(caller, undefined, async () => {
      await this.store.read(workId);
      const options = { order: { createdAt: 'asc', commentId: 'asc' }, after, take: limit + 1 } as const;
      const rows = await this.store.comments.list({ workId }, options);
      const { page, has_more, next_cursor } = takePage(rows, limit, (row) => [row.createdUs, row.commentId]);
      return { comments: page.map(commentOf), work_id: workId, has_more, next_cursor };
    });
  }

  /** None of work of a plan file. @throws WorkUnknown */
  async listTransitions(caller: DaemonCaller, workId: string, { limit, cursor }: PageQuery): Promise<WorkTransitions> {
    const after = decodeCursor(cursor, ['integer']);
    if (await this.work.isPlanned(caller, workId)) return { transitions: [], work_id: workId, ...ONLY_PAGE };
    return this.tenants.run(caller, undefined, async () => {
      await this.store.read(workId);
      const options = { order: { version: 'asc' }, after, take: limit + 1 } as const;
      const rows = await this.store.transitions.list({ workId }, options);
      const { page, has_more, next_cursor } = takePage(rows, limit, (row) => [row.version]);
      return { transitions: page.map(transitionOf), work_id: workId, has_more, next_cursor };
    });
  }
}
