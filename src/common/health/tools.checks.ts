import { Inject, Injectable } from '@nestjs/common';
import { apiUrlOf } from '../config/server-urls.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { CHECK_TIMEOUT_MS } from './check-run.js';
import { checkFor, type Check } from './check.js';
import { OwnChecks } from './readiness.checks.js';

/** Just under what a probe waits, so that the reason says what is meant by it. */
const TIMEOUT_MS = CHECK_TIMEOUT_MS - 100;
/** Frequent probes must not be a load on the API. */
const CACHE_TTL_MS = 500;

/** What the tool service needs in addition to the database: the API that does the work. */
@Injectable()
export class ToolsChecks extends OwnChecks {
  private readonly address: string;

  constructor(@Inject(SETTINGS) settings: Settings) {
    super();
    this.address = `${apiUrlOf(settings)}/readyz`;
  }

  all(): Check[] {
    return [checkFor('api', () => this.api(), CACHE_TTL_MS)];
  }

  private async api(): Promise<string | undefined> {
    try {
      const answer = await fetch(this.address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      await answer.arrayBuffer();
      return answer.status === 200 ? undefined : `the API behind it answers ${answer.status} at /readyz`;
    } catch {
      return 'the API behind it (SVC_API_URL) does not answer';
    }
  }
}
