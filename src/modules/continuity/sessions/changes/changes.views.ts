import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { ChangePosition, FailedPassage, FoundChange } from './changes.types.js';

/** Passages of a proof that are shown, as many as an alert names. */
const MAX_PASSAGES = 20;

/** Of rows with `at` and `id`: those since a time, after the last of the page before, newest first. */
const pageOf = (type: FoundChange['type'], at: string, id: string): string => `
  and ($3::timestamptz is null or ${at} >= $3::timestamptz)
  and ($4::float8 is null or (${at} <= timestamptz 'epoch' + $4 * interval '1 microsecond'
    and (${at}, '${type}', ${id}) < (timestamptz 'epoch' + $4 * interval '1 microsecond', $5::text, $6::text)))
  order by ${at} desc, ${id} desc limit $7`;

/** What has changed for an agent, as rows that are there; each kind by an index of the agent's own. */
@Injectable()
export class ChangesViews {
  constructor(private readonly tenancy: Tenancy) {}

  /** Newest first. Without watches no alerts are among them. */
  find(
    agentId: string,
    filter: { since: string | undefined; withAlerts: boolean },
    after: ChangePosition | undefined,
    limit: number,
  ): Promise<FoundChange[]> {
    return this.tenancy.query<FoundChange>(
      `select (extract(epoch from c.at) * 1000000)::float8 as at, c.type, c.id, c.watch_id as "watchId", c.answer, c.proof from (
         (select j.recorded_at as at, 'alert' as type, j.data ->> 'alertId' as id, j.subject as watch_id, null::jsonb as answer, null::jsonb as proof
          from agent_home h join journal_entry j on j.tenant_id = h.tenant_id and j.home_id = h.home_id
          where $8::boolean and h.tenant_id = $1 and h.agent_id = $2 and j.type = 'watch_alert' and j.source = 'watches'
          ${pageOf('alert', 'j.recorded_at', `(j.data ->> 'alertId')`)})
         union all
         (select a.recorded_at, 'answer', a.answer_id || '/' || a.version, null,
            jsonb_build_object('answerId', a.answer_id, 'version', a.version, 'receiptId', a.receipt_id), null
          from answer a where a.tenant_id = $1 and a.agent_id = $2 and a.version > 1
          ${pageOf('answer', 'a.recorded_at', `(a.answer_id || '/' || a.version)`)})
         union all
         (select p.finished_at, 'proof', p.job_id::text, null, null,
            jsonb_build_object('jobId', p.job_id, 'status', p.status, 'verdict', p.verdict, 'mode', p.mode, 'receiptId', p.receipt_id,
              'subject', jsonb_build_object('type', p.subject_type, 'id', p.subject_id, 'version', p.subject_version))
          from proof_job p where p.tenant_id = $1 and p.agent_id = $2 and p.finished_at is not null
          ${pageOf('proof', 'p.finished_at', '(p.job_id::text)')})
       ) c order by c.at desc, c.type desc, c.id desc limit $7`,
      [
        ...[this.tenancy.tenant, agentId, filter.since ?? null],
        ...[after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, limit, filter.withAlerts],
      ],
    );
  }

  /** Passages that did not pass every check of a proof, in its order: the first of each job. */
  findFailed(jobIds: readonly string[]): Promise<FailedPassage[]> {
    if (jobIds.length === 0) return Promise.resolve([]);
    return this.tenancy.query<FailedPassage>(
      `select f.* from unnest($2::uuid[]) n(job_id) cross join lateral (
         select c.job_id as "jobId", c.chunk_id as "chunkId", c.corpus_id as "corpusId", c.doc_id as "docId", c.title, c.url from proof_job_chunk c
         where c.tenant_id = $1 and c.job_id = n.job_id and c.checks @> '[{"ok": false}]' order by c.ordinal limit $3
       ) f`,
      [this.tenancy.tenant, jobIds, MAX_PASSAGES],
    );
  }
}
