import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { namedPassport } from '../../../common/bearer-auth/named-passport.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { sha256 } from '../../../evidence/sha256.js';
import { namedDigest } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { FenceCheckService } from '../leases/fence-check.service.js';
import type { CreateComment, WorkComment, WorkComments, WorkTransitions } from './work-records.dto.js';
import { workStream } from './work.events.js';
import { checkChangeable } from './work.service.js';
import { WorkStore } from './work.store.js';
import { commentOf, transitionOf } from './work.views.js';

/** What was said of an item, and how it moved. */
@Injectable()
export class WorkRecordsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: WorkStore,
    private readonly fences: FenceCheckService,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws WorkUnknown, PassportHeaderMismatch, FenceStale; ValidationFailed for work of a plan file */
  comment(caller: DaemonCaller, id: string, request: CreateComment, fence?: number): Promise<WorkComment> {
    const authorPassport = namedPassport(caller, request.author_passport, 'body.author_passport')!;
    checkChangeable(id);
    return this.tenants.write(caller, undefined, async () => {
      const { workId, projectId } = await this.store.lock(id);
      await this.fences.check(fence, { kind: 'work', subject: id });
      const { body } = request;
      const commentId = uuid();
      const textDigest = namedDigest('sha256', sha256(body));
      const { receiptId } = await this.audit.record(caller, {
        kind: 'work.commented',
        subject: workId,
        stream: workStream(workId),
        facts: { workId, projectId, commentId, passport: authorPassport },
        receipt: { text_digest: textDigest },
      });
      return commentOf(await this.store.comments.insert({ workId, commentId, authorPassport, body, receiptId }));
    });
  }

  /** @throws WorkUnknown */
  listComments(caller: DaemonCaller, workId: string, { limit, cursor }: PageQuery): Promise<WorkComments> {
    const after = decodeCursor(cursor, ['integer', 'uuid']);
    return this.tenants.run(caller, undefined, async () => {
      await this.store.read(workId);
      const options = { order: { createdAt: 'asc', commentId: 'asc' }, after, take: limit + 1 } as const;
      const rows = await this.store.comments.list({ workId }, options);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.createdUs, row.commentId]);
      return { comments: page.map(commentOf), work_id: workId, has_more: next_cursor !== null, next_cursor };
    });
  }

  /** @throws WorkUnknown */
  listTransitions(caller: DaemonCaller, workId: string, { limit, cursor }: PageQuery): Promise<WorkTransitions> {
    const after = decodeCursor(cursor, ['integer']);
    return this.tenants.run(caller, undefined, async () => {
      await this.store.read(workId);
      const options = { order: { version: 'asc' }, after, take: limit + 1 } as const;
      const rows = await this.store.transitions.list({ workId }, options);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.version]);
      return { transitions: page.map(transitionOf), work_id: workId, has_more: next_cursor !== null, next_cursor };
    });
  }
}
