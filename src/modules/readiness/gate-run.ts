import type { Log } from '../../common/observability/log.js';
import { fails, type Gate, type GateFinding } from './readiness.types.js';

/** How long a probe waits for a gate. */
const PATIENCE_MS = 2_000;
const BELIEVED_MS = 1_000;

/** One gate as probes meet it: looked at once for all of them, believed for a moment, and never waited for long. */
export class GateRun {
  private running: { since: number; finding: Promise<GateFinding> } | undefined;
  private last: { at: number; finding: GateFinding } | undefined;
  private told = true;

  constructor(
    readonly gate: Gate,
    private readonly log: Log,
  ) {}

  async read(): Promise<GateFinding> {
    const { last, gate } = this;
    if (last && performance.now() - last.at < (gate.believedMs ?? BELIEVED_MS)) return last.finding;
    this.running ??= { since: performance.now(), finding: this.find() };
    const { since, finding } = this.running;
    return within(Math.max(0, since + PATIENCE_MS - performance.now()), finding);
  }

  private async find(): Promise<GateFinding> {
    const finding = await this.gate.find().catch((error: Error) => fails(`cannot be looked at: ${reasonOf(error)}`));
    this.last = { at: performance.now(), finding };
    this.running = undefined;
    this.tell(finding);
    return finding;
  }

  /** Said in the log when it changes. */
  private tell({ ok, detail, samples }: GateFinding): void {
    if (ok === this.told) return;
    this.told = ok;
    const gate = this.gate.name;
    if (ok) this.log.info({ gate }, 'a readiness gate holds again');
    else this.log.warn({ gate, detail, samples }, 'a readiness gate fails');
  }
}

/** Drivers put addresses and user names into their messages; the code says as much. */
const reasonOf = (error: NodeJS.ErrnoException): string => (error.code ? `${error.name} ${error.code}` : error.message);

const UNANSWERED = fails(`did not answer within ${PATIENCE_MS / 1000} s; the database hangs or is away`);

async function within(ms: number, finding: Promise<GateFinding>): Promise<GateFinding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<GateFinding>((resolve) => {
    timer = setTimeout(() => resolve(UNANSWERED), ms);
  });
  return Promise.race([finding, late]).finally(() => clearTimeout(timer));
}
