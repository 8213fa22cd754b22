import { Inject, Injectable } from '@nestjs/common';
import { apiUrlOf } from '../../common/config/api-url.js';
import { SETTINGS, type Settings } from '../../common/config/settings.js';
import { OwnChecks, type ReadinessCheck } from './readiness.checks.js';

const PATIENCE_MS = 2_000;
/** Whoever asks often must not be a load on the API. */
const BELIEVED_MS = 500;

/** What the tool service needs beside the database: the API that does the work. */
@Injectable()
export class ToolsChecks extends OwnChecks {
  private readonly address: string;
  private asked?: { at: number; fault: Promise<string | undefined> };

  constructor(@Inject(SETTINGS) settings: Settings) {
    super();
    this.address = `${apiUrlOf(settings)}/readyz`;
  }

  all(): ReadinessCheck[] {
    return [{ name: 'api', find: () => this.api() }];
  }

  private api(): Promise<string | undefined> {
    const now = performance.now();
    if (!this.asked || now - this.asked.at > BELIEVED_MS) this.asked = { at: now, fault: this.ask() };
    return this.asked.fault;
  }

  private async ask(): Promise<string | undefined> {
    try {
      const answer = await fetch(this.address, { signal: AbortSignal.timeout(PATIENCE_MS) });
      await answer.arrayBuffer();
      return answer.status === 200 ? undefined : `the API behind it answers ${answer.status} at /readyz`;
    } catch {
      return 'the API behind it (SVC_API_URL) does not answer';
    }
  }
}
