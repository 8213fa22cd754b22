import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { namedDigest } from '../../../evidence/digest.js';
import { sha256 } from '../../../evidence/sha256.js';
import type { WorkCommentRow } from './work-comment.entity.js';
import { workStream } from './work.events.js';
import { WorkStore } from './work.store.js';

/** Items that one change elsewhere is noted of, at most. */
const MAX_NOTED = 50;
const LINKED = `select work_id, linked_issue, linked_pr from work_item
  where tenant_id = $1 and linked_issue = any ($2)
  union select work_id, linked_issue, linked_pr from work_item where tenant_id = $1 and linked_pr = any ($2)
  order by work_id limit $3`;

interface LinkedRow {
  work_id: string;
  linked_issue: string | null;
  linked_pr: string | null;
}

/** Work items by what they name as their issue or pull request, and what is said of them, in the open unit of work. */
@Injectable()
export class WorkLinksService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: WorkStore,
    private readonly audit: AuditTrail,
  ) {}

  /** Leaves a comment on the items that name one of the refs; the items stay as they are. @returns their ids */
  async note(by: Actor, authorPassport: string, refs: readonly string[], body: string): Promise<string[]> {
    const ids = (await this.find(refs, MAX_NOTED)).map(({ work_id }) => work_id);
    for (const workId of ids) await this.comment(by, workId, { authorPassport, body });
    return ids;
  }

  /** By ref, the items that name it. */
  async linkedTo(refs: readonly string[]): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const { work_id, linked_issue, linked_pr } of await this.find(refs, MAX_SHOWN))
      for (const ref of [linked_issue, linked_pr])
        if (ref !== null) found.set(ref, [...(found.get(ref) ?? []), work_id]);
    return found;
  }

  /** @throws WorkUnknown */
  async comment(
    by: Actor,
    id: string,
    { authorPassport, body }: Pick<WorkCommentRow, 'authorPassport' | 'body'>,
    check?: () => Promise<void>,
  ): Promise<WorkCommentRow> {
    const { workId, projectId } = await this.store.lock(id);
    await check?.();
    const commentId = uuid();
    const { receiptId } = await this.audit.record(by, {
      kind: 'work.commented',
      subject: workId,
      stream: workStream(workId),
      facts: { workId, projectId, commentId, passport: authorPassport },
      receipt: { text_digest: namedDigest('sha256', sha256(body)) },
    });
    return this.store.comments.insert({ workId, commentId, authorPassport, body, receiptId });
  }

  private find(refs: readonly string[], most: number): Promise<LinkedRow[]> {
    return this.tenancy.query<LinkedRow>(LINKED, [this.tenancy.tenant, refs, most]);
  }
}

const MAX_SHOWN = 1_000;
