import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { EvidenceLook, type LookBasis } from '../../../common/evidence-log/evidence-look.js';
import type { EvidenceFault } from '../../../common/evidence-log/evidence-look.types.js';
import { countRecords, describeCount, examineNewest } from '../../../common/evidence-log/newest-evidence.js';
import { KnownKeys } from '../../../common/evidence-log/known-keys.js';
import { Metrics } from '../../../common/observability/metrics.js';
import { Scheduler, type ScheduledWork } from '../../../common/scheduler/scheduler.js';
import { CrossTenant, type Query } from '../../../common/tenancy/cross-tenant.js';
import { CorruptionStore } from './corruption.store.js';
import { EvidenceLooksStore } from './evidence-looks.store.js';
import { IdleShare } from './idle-share.js';
import { SUBJECT_CHECKS } from './subject-checks.js';

const EVERY_MS = 2_000;
const NEWEST_EVERY_MS = 10_000;
const COUNT_EVERY_MS = 20_000;
const KEEP_EVERY_MS = 30_000;
/** A count of all records takes at most this part of the time, however many there are. */
const COUNT_SHARE = 0.01;
/** How long an unchanged database is held to be what it was when its newest rows were last looked at. */
const UNCHANGED_MS = 40_000;
/**
 * A look goes on as fast as this while it takes no more of the processor than its share: on a machine that has time to
 * spare, and on one that has work to do.
 */
const SPARE_ROWS_PER_SECOND = 50;
const BUSY_ROWS_PER_SECOND = 8;
/** Of the processors' time: with less of it idle, the machine has work to do. */
const IDLE_SHARE = 0.4;
/** Of one processor core, beyond what the hours ask for. */
const PROCESSOR_SHARE = 0.01;
/** Rows that are looked at before others have their turn. */
const STEP_ROWS = 100;
/** What a step costs that finds no row, in rows. */
const STEP_COST = 5;
/** From the begin of a whole look to that of the next, at least. */
const PAUSE_MS = 10_000;
/** A process that has the look says so this often; it has it for 30 seconds. */
const HOLD_EVERY_MS = 8_000;
/** Of each run, while records are known to be missing and have no names yet. */
const URGENT_MS = 1_000;

const SUBJECT_TABLES = SUBJECT_CHECKS.flatMap(({ rows }) => rows.map(({ table }) => table));
const RECORD_TABLES = ['receipt', 'retrieval_receipt', 'receipt_head'];
/** How often a whole look sees a row of the modules: by itself, and by the receipts that speak of it. */
const TIMES_SEEN = 2;
/** What the look at the newest reads. */
const NEWEST_TABLES = [
  'receipt',
  'log_leaf',
  'log_pending',
  'ingest',
  'fact_batch',
  'ingest_batch',
  'log_epoch',
  'es256_key',
  ...SUBJECT_TABLES,
];

/**
 * Looks at the evidence all the time, one process of a database at a time: at what is newest every few seconds, at the
 * number of records as often as that is cheap, and at everything once within SVC_EVIDENCE_LOOK_HOURS. What it finds
 * stands until a whole look does not find it any more, or until the operator clears it.
 */
@Injectable()
export class EvidenceWatch implements OnApplicationBootstrap {
  private readonly holder = randomUUID();
  private readonly idle = new IdleShare();
  private readonly basis: LookBasis;
  private readonly examined: Counter<'look'>;
  private work: ScheduledWork | undefined;
  private whole: EvidenceLook | undefined;
  /** Rows a second that the hours ask for. */
  private rate = 0;
  /** Rows of batches that were looked at before their time: a batch is looked at as a whole, however large. */
  private ahead = 0;
  private found = 0;
  private beganAt = new Date(0);
  /** When each was last done, and when a count may be next, by performance.now(). */
  private readonly last = {
    ...{ held: -Infinity, began: -Infinity, step: -Infinity },
    ...{ newest: -Infinity, changed: -Infinity, kept: -Infinity },
  };
  /** Of the tables at the last look at what is newest. */
  private changes = '';
  private countDue = -Infinity;
  /** How many records were missing, or too many, at the last count. */
  private missing = 0;
  private isUrgent = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
    private readonly looks: EvidenceLooksStore,
    private readonly findings: CorruptionStore,
    metrics: Metrics,
    keys: KnownKeys,
  ) {
    this.basis = { checks: SUBJECT_CHECKS, keys };
    this.examined = metrics.counter('svc_evidence_examined_total', 'Rows of evidence that this process looked at.', [
      'look',
    ]);
    metrics.gauge(
      'svc_evidence_look_ended_seconds',
      'When the last whole look at the evidence ended, in seconds since 1970; 0 before the first one has.',
      [],
      async (gauge) => {
        const ended = await this.looks.readEnd().catch(() => undefined);
        if (ended) gauge.set((ended.at?.getTime() ?? 0) / 1000);
      },
    );
    metrics.gauge('svc_evidence_findings', 'What was found amiss and stands, by check.', ['check'], async (gauge) => {
      const found = await this.looks.countFindings().catch(() => undefined);
      if (found) gauge.reset();
      for (const { check, findings } of found ?? []) gauge.set({ check }, findings);
    });
  }

  onApplicationBootstrap(): void {
    this.work = this.scheduler.every('evidence_watch', EVERY_MS, () => this.look());
  }

  private async look(): Promise<void> {
    if (!this.isDue() || !(await this.hold())) return;
    const now = performance.now();
    if (now - this.last.newest >= NEWEST_EVERY_MS) await this.lookAtNewest();
    if (now >= this.countDue) await this.count();
    await this.goOn();
  }

  /** @returns whether this process has the look */
  private async hold(): Promise<boolean> {
    const now = performance.now();
    if (now < this.last.held + HOLD_EVERY_MS) return true;
    const held = await this.looks.hold(this.holder);
    this.last.held = held ? now : -Infinity;
    if (held) this.beganAt = held;
    else this.whole = undefined;
    return held !== undefined;
  }

  /** A process that has the look keeps it by what it does every few seconds; one that has not asks each time. */
  private isDue(): boolean {
    const now = performance.now();
    const { began, newest } = this.last;
    return (
      this.whole !== undefined || now >= began + PAUSE_MS || now >= newest + NEWEST_EVERY_MS || now >= this.countDue
    );
  }

  private async lookAtNewest(): Promise<void> {
    this.last.newest = performance.now();
    // Asked first: what is done while it is looked at counts as a change after it.
    const changes = await this.looks.readChanges(NEWEST_TABLES);
    if (changes === this.changes && this.last.newest < this.last.changed + UNCHANGED_MS) return;
    const { examined, faults } = await this.onSnapshot((query) => examineNewest(query, this.basis));
    this.examined.inc({ look: 'newest' }, examined);
    await this.record(faults);
    [this.changes, this.last.changed] = [changes, this.last.newest];
  }

  /** A number that is not what it was has the next whole look begin at once, to name the records or to clear them. */
  private async count(): Promise<void> {
    const began = performance.now();
    const counted = await this.onSnapshot((query) => countRecords(query, this.basis.keys));
    const ended = performance.now();
    this.countDue = ended + Math.max(COUNT_EVERY_MS, (ended - began) / COUNT_SHARE);
    const fault = describeCount(counted);
    if (fault === undefined) await this.findings.clear('evidence.count');
    else await this.record([fault]);
    const missing = fault === undefined ? 0 : counted.expected - counted.records;
    if (missing === this.missing) return;
    this.missing = missing;
    this.isUrgent = true;
    await this.begin();
  }

  private async goOn(): Promise<void> {
    const now = performance.now();
    const seconds = Math.min((now - this.last.step) / 1000, (5 * EVERY_MS) / 1000);
    this.last.step = now;
    if (!this.whole && now < this.last.began + PAUSE_MS) return;
    this.whole ??= await this.resume();
    const asked = this.rate * seconds;
    const spare = this.idle.read() < IDLE_SHARE ? BUSY_ROWS_PER_SECOND : SPARE_ROWS_PER_SECOND;
    const most = Math.max(this.rate, spare) * seconds;
    const before = this.isUrgent ? 0 : this.ahead;
    this.ahead = Math.max(0, before - most);
    if (before >= most) return;
    const hasTime = timeLeft(PROCESSOR_SHARE * seconds);
    const mayGoOn = (done: number): boolean =>
      this.isUrgent ? performance.now() < now + URGENT_MS : done < asked || (done < most && hasTime());
    const { whole } = this;
    const rowsAfter = (done: number): number => Math.ceil(this.isUrgent ? STEP_ROWS : Math.min(most - done, STEP_ROWS));
    try {
      const { faults, done, isOfReceipts } = await this.onSnapshot((query) =>
        this.stepWhile(query, { look: whole, before, mayGoOn, rowsAfter }),
      );
      this.ahead = isOfReceipts ? Math.max(0, done - most) : 0;
      this.found += faults.length;
      await this.record(faults);
    } catch (error) {
      // What was found is not recorded: the look goes on where it was last kept, and finds it again.
      this.whole = undefined;
      throw error;
    }
    if (whole.isOver) return this.end(whole);
    if (now - this.last.kept < KEEP_EVERY_MS) return;
    this.last.kept = now;
    await this.looks.keep({ place: whole.at, bits: whole.marks.bits });
  }

  /** Steps on one snapshot, so that those of small tables share a transaction. */
  private async stepWhile(query: Query, { look, before, mayGoOn, rowsAfter }: Steps): Promise<Stepped> {
    const faults: EvidenceFault[] = [];
    let done = before;
    let isOfReceipts = false;
    while (!look.isOver && !this.work?.isStopped && mayGoOn(done)) {
      const { examined, part } = look.at;
      isOfReceipts = part === 'receipts';
      faults.push(...(await look.step(query, rowsAfter(done))));
      const seen = look.at.examined - examined;
      this.examined.inc({ look: 'whole' }, seen);
      done += Math.max(seen, STEP_COST);
    }
    return { faults, done, isOfReceipts };
  }

  private async resume(): Promise<EvidenceLook> {
    const kept = await this.looks.find();
    if (!kept) return this.begin();
    this.found = 0;
    await this.setRate();
    return EvidenceLook.resume(kept.place, kept.bits, this.basis);
  }

  private async begin(): Promise<EvidenceLook> {
    this.last.began = performance.now();
    this.beganAt = await this.looks.begin();
    this.found = 0;
    await this.setRate();
    this.whole = await this.onSnapshot((query) => EvidenceLook.begin(query, this.basis));
    return this.whole;
  }

  private async setRate(): Promise<void> {
    const records = await this.looks.estimateRows(RECORD_TABLES);
    const rows = await this.looks.estimateRows(SUBJECT_TABLES);
    this.rate = (records + TIMES_SEEN * rows) / (this.settings.evidence.lookHours * 3600);
  }

  private async end(look: EvidenceLook): Promise<void> {
    await this.looks.end(look.at.examined, this.found);
    await this.findings.clear('evidence.%', this.beganAt);
    this.isUrgent = false;
    this.whole = undefined;
  }

  private async record(faults: readonly EvidenceFault[]): Promise<void> {
    await this.findings.recordEach(
      faults.map(({ check, subject, detail }) => ({ source: `evidence.${check}`, subject, detail })),
    );
  }

  private onSnapshot<T>(look: (query: Query) => Promise<T>): Promise<T> {
    return this.crossTenant.run('evidence look', async (query) => {
      await query('set transaction isolation level repeatable read read only');
      return look(query);
    });
  }
}

/** What a run may do. */
interface Steps {
  readonly look: EvidenceLook;
  /** Rows that count as done already. */
  readonly before: number;
  readonly mayGoOn: (done: number) => boolean;
  readonly rowsAfter: (done: number) => number;
}

interface Stepped {
  /** What was found amiss. */
  readonly faults: readonly EvidenceFault[];
  readonly done: number;
  /** Whether the last step was of receipts, which alone may bind many more rows than were asked for. */
  readonly isOfReceipts: boolean;
}

/** @returns whether this process has used less than `seconds` of a processor since, whatever it did */
function timeLeft(seconds: number): () => boolean {
  const used = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  };
  const until = used() + seconds;
  return () => used() < until;
}
