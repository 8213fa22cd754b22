/** What a worker asked of the server, and what it got. Times of calls are microseconds of the steady clock. */
export interface LeaseRecord {
  kind: 'claim-next' | 'claim' | 'renew' | 'release' | 'write' | 'read';
  /** Of a claim-next that granted nothing: unknown. */
  item?: string | undefined;
  /** Of a claim: the passport, which no other claim has. */
  holder: string;
  /** That was sent. */
  fence?: number | undefined;
  ttlSeconds: number;
  start: number;
  end: number;
  /** 0: no answer. */
  status: number;
  /** Of a claim or a renewal that was granted; of a read the lease that is shown. */
  lease?: { fence: number; expiresAtMs: number } | undefined;
  version?: number | undefined;
  /** Of a refusal: the fence that it names as newer. */
  newerFence?: number | undefined;
  /** Of an answer that nobody expects. */
  text?: string | undefined;
  /** The worker was stopped past the end of its lease before it sent this. */
  isAfterStop?: true | undefined;
}

/** A row of the table `lease`. */
export interface LeaseFact {
  fence: number;
  item: string;
  holder: string;
  expiresAtMs: number;
  status: string;
  hasReceipt: boolean;
}

export interface LeaseWorkerPlan {
  url: string;
  tenantId: string;
  /** The numbers of the workers in this process. */
  workers: number[];
  operationsEach: number;
  items: string[];
  /** Each item bears one of them. */
  labels: string[];
  ttlSeconds: number;
  /** After so many operations a worker says that it holds something, and waits: it is stopped then. */
  stopAfter?: number[];
}

/** What a worker's process says while it works. */
export type LeaseWorkerMessage = { progress: number } | { isHolding: true };
