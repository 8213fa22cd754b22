import type { Settings } from '../../common/config/settings.js';
import { withPaymentSecret } from '../../common/database/bootstrap.js';
import type { Check } from '../../common/health/check.js';
import type { Query } from '../../common/tenancy/cross-tenant.js';
import { AllConversions } from '../../modules/economy/ledger/all-conversions.store.js';
import { EXPECTED_WITHIN_HOURS, EXPIRES_AFTER_DAYS } from '../../modules/economy/ledger/conversion.rules.js';
import { Advice } from './examine.js';

const HOUR_S = 3_600;
const LATE_S = EXPECTED_WITHIN_HOURS * HOUR_S;
/** An hour more than a release may be late. */
const OVERDUE_S = (EXPIRES_AFTER_DAYS * 24 + 1) * HOUR_S;

/** That somebody can settle conversions of credits, does, and that those nobody settles are released. */
export const conversionsCheck = (settings: Settings, ask: Query): Check => ({
  name: 'conversions',
  remedy: 'Start an API process with SVC_JOBS=1: it releases them. "svc credits conversions list" shows them.',
  run: async () => {
    const { pending, oldest_seconds: oldest } = await new AllConversions(ask).readPending();
    if (oldest > OVERDUE_S)
      throw new Error(`the oldest pending conversion is ${inDays(oldest)} old and was not released`);
    if ((await withPaymentSecret(settings)).economy.paymentWebhookSecret === undefined)
      throw new Advice(
        `there is no payment webhook secret, so credits are not converted; ${pending} pending`,
        'Where a payment provider is to settle conversions, set SVC_PAYMENT_WEBHOOK_SECRET: docs/economy.md.',
      );
    if (oldest > LATE_S)
      throw new Advice(
        `${pending} pending, the oldest for ${inDays(oldest)}; after ${EXPIRES_AFTER_DAYS} days they fail`,
        'See that the payment provider calls the webhook, or settle them: svc credits conversions list, settle, release.',
      );
    return `${pending} pending`;
  },
});

const inDays = (seconds: number): string => `${(seconds / (24 * HOUR_S)).toFixed(1)} days`;
