import type { DataSource } from 'typeorm';
import type { Settings } from '../../common/config/settings.js';
import { EvidenceAudit, type Audit } from '../../common/evidence-log/evidence-audit.js';
import { countRecords, describeCount, examineNewest } from '../../common/evidence-log/newest-evidence.js';
import { KnownKeys } from '../../common/evidence-log/known-keys.js';
import type { Check } from '../../common/health/check.js';
import { Metrics } from '../../common/observability/metrics.js';
import { CrossTenant, type Query } from '../../common/tenancy/cross-tenant.js';
import { SegmentCheck } from '../../modules/memory/local-ingest/segment-check.service.js';
import { describeLook, findLogFault } from '../../modules/operations/readiness/evidence-checks.js';
import { SUBJECT_CHECKS } from '../../modules/operations/readiness/subject-checks.js';
import { Advice } from './examine.js';
import { byFirstKey } from './first-key-there.js';

/** A look at so many records takes some ten seconds: no need to leave any out. */
const ALWAYS_WHOLE = 20_000;

interface EvidenceOptions {
  readonly settings: Settings;
  readonly ask: Query;
  /** All of it, however much it is. */
  readonly isFull: boolean;
}

/** The evidence: all of it where that is asked for or takes no time, else what is newest, and the numbers. */
export function evidenceChecks(source: DataSource, { settings, ask, isFull }: EvidenceOptions): Check[] {
  const counter = new Metrics().counter(
    'svc_cross_tenant_total',
    'Units of work that could see more than one tenant.',
    ['reason'],
  );
  const crossTenant = new CrossTenant(source, counter);
  const keys = new KnownKeys(settings);
  const audit = new EvidenceAudit(crossTenant, keys);
  const onSnapshot = <T>(look: (query: Query) => Promise<T>): Promise<T> =>
    crossTenant.run('doctor', async (query) => {
      await query('set transaction isolation level repeatable read read only');
      return look(query);
    });
  const isWhole = async () => isFull || (await onSnapshot(countLeaves)) <= ALWAYS_WHOLE;
  const remedy = 'Stop svc, keep the database as it is for examination, and restore the last backup that verifies.';
  return [
    byFirstKey(settings, ask, {
      name: 'receipt_chain',
      remedy,
      run: async () =>
        (await isWhole())
          ? summarize(await audit.verifyChain(SUBJECT_CHECKS), 'receipts')
          : onSnapshot((query) => lookAtNewest(query, keys)),
    }),
    byFirstKey(settings, ask, {
      name: 'transparency_log',
      remedy,
      run: async () =>
        (await isWhole())
          ? summarize(await audit.verifyLog(), 'leaves')
          : onSnapshot((query) => lookAtHead(query, keys)),
    }),
    { name: 'sealed_segments', remedy, run: () => lookAtSegments(new SegmentCheck(crossTenant), isFull) },
    lastLook(onSnapshot, settings.evidence.lookHours),
  ];
}

async function lookAtNewest(query: Query, keys: KnownKeys): Promise<string> {
  const { examined, faults } = await examineNewest(query, { checks: SUBJECT_CHECKS, keys });
  const count = await countRecords(query, keys);
  const found = [...faults, describeCount(count)].filter((fault) => fault !== undefined);
  if (found.length > 0) throw new Error(found.map(({ detail }) => detail).join('; '));
  return `the newest ${examined} of ${count.records} records hold, and none is missing; "svc doctor --full" looks at all`;
}

async function lookAtHead(query: Query, keys: KnownKeys): Promise<string> {
  const fault = await findLogFault(query, await keys.view(query));
  if (fault !== undefined) throw new Error(fault);
  return `the head of ${await countLeaves(query)} leaves holds; "svc doctor --full" looks at all`;
}

/** The bytes of the sealed segments: all, or those that come first. */
async function lookAtSegments(segments: SegmentCheck, isFull: boolean): Promise<string> {
  let checked = 0;
  const corrupt: string[] = [];
  for (let isOver = false; !isOver;) {
    const step = await segments.step();
    checked += step.checked;
    corrupt.push(...step.corrupt);
    isOver = step.endedRound || !isFull;
  }
  if (corrupt.length > 0) throw new Error(`not as they were sealed: ${corrupt.join(', ')}`);
  return `${checked} segments are as they were sealed`;
}

/** When the daemon last looked at everything by itself. */
const lastLook = (onSnapshot: <T>(look: (query: Query) => Promise<T>) => Promise<T>, lookHours: number): Check => ({
  name: 'evidence_look',
  run: async () => {
    const [look] = await onSnapshot((query) => query<{ is_late: boolean }>(IS_LATE, [2 * lookHours]));
    const detail = await onSnapshot(describeLook);
    if (look?.is_late)
      throw new Advice(
        detail,
        'Start the memory daemon: it looks at all of the evidence within SVC_EVIDENCE_LOOK_HOURS.',
      );
    return detail;
  },
});

async function countLeaves(query: Query): Promise<number> {
  const [row] = await query<{ leaves: string }>('select coalesce(max(leaf_index) + 1, 0) as leaves from log_leaf');
  return Number(row!.leaves);
}

function summarize({ ok, examined, faults }: Audit, what: string): string {
  if (!ok) throw new Error(faults.join('; '));
  return `${examined} ${what} verify`;
}

const IS_LATE = `select coalesce(ended_at, began_at) < now() - make_interval(hours => $1) as is_late from evidence_look`;
