import { readFirstKey, readKeyRows } from '../../common/evidence-log/known-keys.js';
import { placeOfKeys } from '../../common/evidence-log/own-keys.js';
import { SettingsInvalid, type Settings } from '../../common/config/settings.js';
import type { Check } from '../../common/health/check.js';
import type { Query } from '../../common/tenancy/cross-tenant.js';
import { OtherRemedy } from './examine.js';

const REMEDY =
  'Put the key file of this database in its place, or see that its signer answers; the check signing_key says more, and docs/keys.md what to do where the keys are lost. No backup is to be restored for this.';

/** A check of what the first key verifies. On a machine without it nothing does, in whatever state the evidence is. */
export const byFirstKey = (settings: Settings, ask: Query, check: Check): Check => ({
  ...check,
  run: async () => {
    await expectFirstKey(settings, ask);
    return check.run();
  },
});

/** @throws OtherRemedy */
async function expectFirstKey(settings: Settings, ask: Query): Promise<void> {
  const rows = await readKeyRows(ask);
  if (rows.every(({ statement }) => statement === null)) return;
  const first = await readFirstKey(settings, rows).catch((error: Error) => {
    const reason = error instanceof SettingsInvalid ? error.faults.join('; ') : error.message;
    throw new OtherRemedy(`not looked at, since the first key cannot be read: ${reason}`, REMEDY);
  });
  if (first) return;
  throw new OtherRemedy(`not looked at: without ${placeOfKeys(settings)} the first key is not known here`, REMEDY);
}
