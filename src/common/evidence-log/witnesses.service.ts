import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { failureReason } from '../http/failure-reason.js';
import { parseWitnessKey } from '../../evidence/cosignature.js';
import { parseNote } from '../../evidence/signed-note.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { LOG, type Log } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { Scheduler } from '../scheduler/scheduler.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { CosignedHeadsStore, type HeadToCosign } from './cosigned-heads.store.js';
import { LogReader } from './log-reader.js';
import { askForLine, type RemoteWitness, WitnessDisagrees } from './witness-client.js';

/** How often a witness is asked at most, by all processes together. */
const EVERY_MS = 2_000;

/**
 * Asks the witnesses of SVC_WITNESSES to sign new heads of the log. Apart from everything else: nothing waits for a
 * witness, and a head without its signature is a head all the same.
 */
@Injectable()
export class Witnesses implements OnApplicationBootstrap {
  private readonly witnesses: readonly RemoteWitness[];
  /** What was said last of those that fail, so that it is logged once. */
  private readonly failing = new Map<string, string>();
  private failures: { inc(labels: { witness: string }): void } | undefined;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Log,
    @Inject(Metrics) private readonly metrics: Metrics,
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
  ) {
    this.witnesses = settings.evidence.witnesses.map((given) => ({ ...given, ...parseWitnessKey(given.verifierKey) }));
  }

  onApplicationBootstrap(): void {
    if (this.witnesses.length === 0) return;
    this.measure();
    this.scheduler.every('witnesses', EVERY_MS, () => Promise.all(this.witnesses.map((one) => this.ask(one))));
  }

  private async ask(witness: RemoteWitness): Promise<void> {
    const turn = await this.crossTenant.run('cosign log', async (query) => {
      const heads = new CosignedHeadsStore(query);
      const head = await heads.findNewest();
      if (!head || hasSigned(head, witness)) return undefined;
      const size = await heads.takeTurn(witness.verifierKey, head.origin, EVERY_MS);
      return size === undefined ? undefined : { head, size };
    });
    if (!turn) return;
    try {
      const line = await this.submit(witness, turn.head, turn.size);
      await this.crossTenant.run('cosign log', (query) =>
        new CosignedHeadsStore(query).add(witness.verifierKey, turn.head, line),
      );
      this.failing.delete(witness.verifierKey);
    } catch (error) {
      this.failures?.inc({ witness: witness.name });
      await this.report(witness, error as Error);
    }
  }

  private measure(): void {
    const label = ['witness'] as const;
    this.failures = this.metrics.counter('svc_witness_failures_total', 'Times that a witness did not sign.', label);
    this.metrics.gauge(
      'svc_witness_signed_seconds',
      'When a witness signed a checkpoint last, in seconds since 1970; 0 before it has.',
      label,
      async (gauge) => {
        const states = await this.crossTenant
          .run('cosign log', (query) => new CosignedHeadsStore(query).listStates())
          .catch(() => undefined);
        for (const { name, verifierKey } of states ? this.witnesses : []) {
          const signedAt = states?.get(verifierKey)?.signed_at;
          gauge.set({ witness: name }, (signedAt?.getTime() ?? 0) / 1000);
        }
      },
    );
  }

  /** @returns its signature line */
  private submit(witness: RemoteWitness, { checkpoint, size }: HeadToCosign, from: number): Promise<string> {
    const prove = (start: number) =>
      this.crossTenant.run('cosign log', (query) => new LogReader(query).proveConsistency(start, size));
    return askForLine(witness, { checkpoint, size, prove }, from);
  }

  private async report({ name, verifierKey, url }: RemoteWitness, error: Error): Promise<void> {
    const reason = failureReason(error);
    await this.crossTenant.run('cosign log', (query) =>
      new CosignedHeadsStore(query).fail(verifierKey, reason, error instanceof WitnessDisagrees),
    );
    if (this.failing.get(verifierKey) === reason) return;
    this.failing.set(verifierKey, reason);
    this.log.warn({ witness: name, url: new URL(url).origin, reason }, 'a witness did not sign the checkpoint');
  }
}

function hasSigned({ checkpoint, cosignatures }: HeadToCosign, { name }: RemoteWitness): boolean {
  return parseNote(checkpoint + cosignatures).signatures.some((line) => line.name === name);
}
