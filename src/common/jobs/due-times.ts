/** Priorities are 32-bit integers: seconds from here on last until 2094. */
const EPOCH = Date.UTC(2026, 0, 1);
const MAX_TENANTS = 10_000;

/**
 * The order in which the jobs of all tenants are taken. A job is due when all that its tenant sent before it could be
 * done, had the tenant a worker of its own; what is due first is taken first. So the jobs of one tenant do not wait for
 * all of another's, and a job's turn comes however many others arrive. Each process keeps the times of what it sent.
 */
export class DueTimes {
  private readonly busyUntil = new Map<string, number>();

  /**
   * @param lastsMs what the work is taken to last: more than it does, so that the newcomer goes first while another
   * tenant has much waiting
   * @returns the priority of the tenant's next job: less the later it is due
   */
  next(tenantId: string, lastsMs: number, now = Date.now()): number {
    if (this.busyUntil.size >= MAX_TENANTS) this.forget(now);
    const due = Math.max(now, this.busyUntil.get(tenantId) ?? now);
    this.busyUntil.set(tenantId, due + lastsMs);
    return -Math.floor((due - EPOCH) / 1000);
  }

  private forget(now: number): void {
    for (const [tenantId, until] of this.busyUntil) if (until <= now) this.busyUntil.delete(tenantId);
  }
}
