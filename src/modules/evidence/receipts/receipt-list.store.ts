import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Position } from './receipts.types.js';

export interface ListFilter {
  kind?: string;
  principal?: string;
  session?: string;
  before?: Position;
  limit: number;
}

/** A row as it is listed: `record` is the whole receipt. Times are RFC 3339 in UTC. */
export interface ListedReceipt {
  family: 'execution' | 'retrieval';
  receipt_id: string | null;
  /** Hexadecimal. */
  digest: string;
  stream: string | null;
  seq: number | null;
  kind: string;
  actor: string;
  subject: string | null;
  session: string | null;
  occurred_at: string;
  /** The same to the microsecond, for the position. */
  instant: string;
  ingested_at: string;
  /** base64, in lines as PostgreSQL writes it. */
  record: string;
}
export interface CountOfReceipts {
  kind: string;
  principal: string;
  receipts: number;
}

/** The list of receipts and their counts, of the open unit of work's tenant. */
@Injectable()
export class ReceiptListStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Rows, one more than the limit where there are more, and counts: one statement, so that both are of one instant. */
  async list(filter: ListFilter): Promise<{ rows: ListedReceipt[]; counts: CountOfReceipts[] }> {
    const { kind = null, principal = null, session = null, before, limit } = filter;
    const [found] = await this.tenancy.query<{ rows: ListedReceipt[]; counts: CountOfReceipts[]; parts: number }>(
      statement(filter),
      [kind, principal, session, limit + 1, ...parametersOf(before)],
    );
    const { rows, counts, parts } = found!;
    if (parts > counts.length + MAX_PARTS) await this.fold(session ?? '');
    return { rows, counts };
  }

  /** Counts that many small writes made are added up, so that the next reader has less to add. */
  private async fold(session: string): Promise<void> {
    await this.tenancy.query('select svc_fold_tally($1, $2)', [this.tenancy.tenant, session]);
  }
}

/** Rows of the tally more than there are counts, before a reader adds them up. */
const MAX_PARTS = 2000;

/** Instant, family, stream, seq and digest of a position. */
function parametersOf(before: Position | undefined): unknown[] {
  if (!before) return [null, null, null, null, null];
  const { family, occurredAt } = before;
  return family === 'execution'
    ? [occurredAt, family, before.stream, before.seq, null]
    : [occurredAt, family, null, null, Buffer.from(before.digest, 'hex')];
}

/** Only the conditions that are asked for stand in the statement, so that each plan has the index made for it. */
function statement({ kind, principal, session, before }: ListFilter): string {
  const conditions = (family: 'execution' | 'retrieval'): string => {
    const asked = [
      kind !== undefined && family === 'execution' && 'kind = $1',
      kind !== undefined && family === 'retrieval' && `$1 = 'retrieval'`,
      principal !== undefined && 'actor = $2',
      session !== undefined && 'session = $3',
      before !== undefined && 'occurred_at <= $5::timestamptz',
      before !== undefined && AFTER[family],
    ];
    return asked.filter((condition) => condition !== false).join(' and ') || 'true';
  };
  const counted = [
    `session = coalesce($3, '')`,
    kind !== undefined && 'kind = $1',
    principal !== undefined && 'principal = $2',
  ];
  return `
    with parameters as (
      select $1::text, $2::text, $3::text, $4::int, $5::timestamptz, $6::text, $7::text, $8::bigint, $9::bytea
    ), executions as (
      select 'execution' as family, receipt_id, payload_hash as digest, stream, seq, kind, actor, subject, session, occurred_at, ingested_at, cose as record
      from receipt where ${conditions('execution')} order by occurred_at desc, stream desc, seq desc limit $4
    ), retrievals as (
      select 'retrieval' as family, null::uuid as receipt_id, record_digest as digest, null::text as stream, null::bigint as seq, 'retrieval' as kind,
        actor, null::text as subject, session, occurred_at, ingested_at, record
      from retrieval_receipt where ${conditions('retrieval')} order by occurred_at desc, record_digest desc limit $4
    ), page as (
      select * from (select * from executions union all select * from retrievals) both_families
      order by occurred_at desc, family, stream desc, seq desc, digest desc limit $4
    ), parts as materialized (
      select kind, principal, receipts from receipt_tally where ${counted.filter((one) => one !== false).join(' and ')}
    ), counts as (
      select kind, principal, sum(receipts)::bigint as receipts from parts group by kind, principal
    )
    select
      coalesce((select json_agg(json_build_object(
        'family', family, 'receipt_id', receipt_id, 'digest', encode(digest, 'hex'), 'stream', stream, 'seq', seq, 'kind', kind, 'actor', actor,
        'subject', subject, 'session', session, 'occurred_at', ${utc('occurred_at')}, 'instant', ${utc('occurred_at', 'US')}, 'ingested_at', ${utc('coalesce(ingested_at, occurred_at)')},
        'record', encode(record, 'base64')) order by occurred_at desc, family, stream desc, seq desc, digest desc) from page), '[]') as rows,
      coalesce((select json_agg(counts) from counts), '[]') as counts,
      (select count(*)::int from parts) as parts`;
}

/** What comes after the position: `family` sorts executions before retrievals of the same instant. */
const AFTER = {
  execution: `(occurred_at < $5::timestamptz or ($6::text = 'execution' and (stream, seq) < ($7, $8)))`,
  retrieval: `(occurred_at < $5::timestamptz or $6::text = 'execution' or record_digest < $9)`,
};

const utc = (column: string, fraction = 'MS'): string =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.${fraction}"Z"')`;
