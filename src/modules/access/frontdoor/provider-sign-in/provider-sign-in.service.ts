import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { peopleTenants } from '../../../../common/config/people-settings.js';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { Forbidden, Unauthorized } from '../../../../common/problem/common-problems.js';
import { EncryptedText } from '../../../../common/sessions/encrypted-text.js';
import { Throttle } from '../../../../common/throttle/throttle.js';
import { sha256 } from '../../../../evidence/sha256.js';
import { ProviderSeatsService } from '../../seats/provider-seats.service.js';
import { LoginThrottled, ProviderUnavailable, TooManyRequests } from '../frontdoor.problems.js';
import type { FrontdoorAuthSession } from '../sign-in/sign-in.dto.js';
import { type ProviderAnswer, ProviderClient } from './provider-client.js';
import { personOf } from './provider-person.rules.js';
import type {
  ProviderSignInFinishRequest,
  ProviderSignInStart,
  ProviderSignInStartRequest,
} from './provider-sign-in.dto.js';

const LASTS_MS = 10 * 60_000;
/** A person begins again when a tab was closed; a program that begins all the time waits. */
const STARTS = { free: 20, firstSeconds: 1, maxSeconds: 60 };
const KEPT_AS = { purpose: 'provider sign-in', context: [] };

const Transaction = z.object({
  tenantId: z.string(),
  expiresAt: z.number(),
  pending: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
});
type Transaction = z.output<typeof Transaction>;

/** Signs people in who proved who they are to the identity provider, and have a seat (docs/decisions/0348). */
@Injectable()
export class ProviderSignInService {
  constructor(
    private readonly provider: ProviderClient,
    private readonly seats: ProviderSeatsService,
    private readonly encrypted: EncryptedText,
    private readonly throttle: Throttle,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The same for every tenant, whether there is one of the name or not. @throws TooManyRequests, FeatureDisabled */
  async start({ tenantId }: ProviderSignInStartRequest, address: string): Promise<ProviderSignInStart> {
    const wait = await this.throttle.admitRequest('provider sign-in', address, STARTS);
    if (wait > 0) throw new TooManyRequests({ retryAfterSec: wait }, `Try again in ${wait} s`);
    const { address: authorizationUrl, pending } = await this.provider.begin();
    const expiresAt = Date.now() + LASTS_MS;
    const transaction: Transaction = { tenantId, expiresAt, pending };
    return {
      authorizationUrl,
      transaction: await this.encrypted.encrypt(JSON.stringify(transaction), KEPT_AS),
      expiresAt: new Date(expiresAt).toISOString(),
    };
  }

  /**
   * @throws Unauthorized where the transaction or the provider's answer does not hold; Forbidden where the person has
   * no seat; LoginThrottled, ProviderUnavailable
   */
  async finish(
    request: ProviderSignInFinishRequest,
    address: string,
  ): Promise<{ session: FrontdoorAuthSession; cookie: string }> {
    const { tenantId, pending } = await this.open(request);
    const attempt = await this.throttle.admitSignIn(address, tenantId);
    if ('wait' in attempt) throw new LoginThrottled({ retryAfterSec: attempt.wait }, `Try again in ${attempt.wait} s`);
    const { code, state, iss } = request;
    const answered: ProviderAnswer = { code, state, ...(iss === undefined ? {} : { iss }) };
    const claims = await this.provider.finish(answered, pending).catch(async (error: unknown) => {
      // That the provider is away says nothing of who signs in: it must not keep people out once it is back.
      if (error instanceof ProviderUnavailable) await this.throttle.succeeded(attempt);
      throw error;
    });
    const person = personOf(claims, this.settings.people);
    if (!person)
      throw new Forbidden(
        {},
        'The identity provider names no e-mail address with email_verified: true for this person',
      );
    const signedIn = peopleTenants(this.settings).includes(tenantId)
      ? await this.seats.signIn(tenantId, person)
      : undefined;
    if (!signedIn)
      throw new Forbidden({}, 'There is no active seat with this e-mail address here: an owner or admin invites it');
    await this.throttle.succeeded(attempt);
    return signedIn;
  }

  /** @throws Unauthorized */
  private async open({ transaction, state }: ProviderSignInFinishRequest): Promise<Transaction> {
    const text = await this.encrypted.decrypt(transaction, KEPT_AS);
    const opened = text === undefined ? undefined : Transaction.parse(JSON.parse(text));
    if (!opened || opened.expiresAt < Date.now() || !isSame(opened.pending.state, state))
      throw new Unauthorized(
        {},
        'body.transaction and body.state do not belong together, or have expired: sign in again',
      );
    return opened;
  }
}

/** In constant time. */
const isSame = (expected: string, given: string): boolean => timingSafeEqual(sha256(expected), sha256(given));
