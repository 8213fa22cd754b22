import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { inLowerCase } from '../../../../common/fields/lower-case.js';
import { LOG, type Log } from '../../../../common/observability/log.js';
import { Throttle } from '../../../../common/throttle/throttle.js';
import { SeatInvitesService } from '../../seats/invites/seat-invites.service.js';
import { TooManyRequests } from '../frontdoor.problems.js';
import type { FrontdoorSignInLinkRequest, FrontdoorSignInLinkResponse } from './sign-in-links.dto.js';

/** An address may ask five times, then once a minute, then ever less often. */
const OF_ADDRESS = { free: 5, firstSeconds: 60, maxSeconds: 3600 };
/** The limit of mails to one mailbox, over all requesters; each mail has a link that works. */
const TO_MAILBOX = { free: 5, firstSeconds: 60, maxSeconds: 900 };

/** Requests that wait, of all addresses together; each takes a few milliseconds. */
const MOST_WAITING = 1_000;
const RETRY_AFTER_SEC = 10;

/**
 * Mails sign-in links. The answer is sent before the seat is looked up, so that neither its content nor its timing
 * reveals whether there is one.
 */
@Injectable()
export class SignInLinksService implements BeforeApplicationShutdown {
  /** One at a time: a flood of requests holds one connection to the database and no more. */
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;

  constructor(
    private readonly invites: SeatInvitesService,
    private readonly throttle: Throttle,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @param address where it comes from @throws TooManyRequests */
  async request(body: FrontdoorSignInLinkRequest, address: string): Promise<FrontdoorSignInLinkResponse> {
    if (this.waiting >= MOST_WAITING)
      throw new TooManyRequests({ retryAfterSec: RETRY_AFTER_SEC }, `Try again in ${RETRY_AFTER_SEC} s`);
    const wait = await this.throttle.admitRequest('sign-in link', address, OF_ADDRESS);
    if (wait > 0) throw new TooManyRequests({ retryAfterSec: wait }, `Try again in ${wait} s`);
    this.waiting += 1;
    this.last = this.last
      .then(() => this.mail(body))
      .catch((error: unknown) => this.log.warn({ error }, 'a sign-in link was not mailed'))
      .finally(() => (this.waiting -= 1));
    return { status: 'accepted' };
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.last;
  }

  private async mail({ tenantId, email }: FrontdoorSignInLinkRequest): Promise<void> {
    // A link that reaches nobody must not take the place of one that a colleague has handed over.
    if (this.settings.mail.smtpUrl === undefined) return;
    const mailbox = JSON.stringify([tenantId, inLowerCase(email)]);
    if ((await this.throttle.admitRequest('sign-in mail', mailbox, TO_MAILBOX)) > 0) return;
    await this.invites.mailSignInLink(tenantId, email);
  }
}
