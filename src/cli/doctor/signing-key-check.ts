import type { Settings } from '../../common/config/settings.js';
import { findSigningKey, signingKeyFile } from '../../common/evidence-log/key-files.js';
import type { Check } from '../../common/health/check.js';

type Ask = <Row extends object>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

interface KeyInUse {
  kid: string;
  created: Date;
}

/** That one key signs in this database, and this data directory has it. */
export const signingKeyCheck = (settings: Settings, ask: Ask): Check => ({
  name: 'signing_key',
  remedy:
    'Have one key file on all machines (SVC_SIGNING_KEY_FILE): copy it from the machine or backup that has it, or make one with "svc key create-signing FILE". Where several keys are in use or the right one is lost, "svc key rotate-signing" makes that of the file the only one. What others signed stays verifiable.',
  run: async () => {
    const file = signingKeyFile(settings);
    const own = findSigningKey(settings)?.kid;
    const inUse = await ask<KeyInUse>(IN_USE);
    if (own === undefined && inUse.length === 0) return 'none yet; the first start makes it';
    const named = inUse.map(({ kid, created }) => {
      const whose = kid === own ? `in ${file}` : `not in ${file}`;
      return `${kid} (created ${created.toISOString()}, ${whose})`;
    });
    if (inUse.length !== 1) throw new Error(`${inUse.length} keys are in use: ${named.join('; ')}`);
    if (own === undefined) throw new Error(`${file} does not exist; the key in use is ${named[0]}`);
    if (inUse[0]!.kid !== own) throw new Error(`${file} has another key (kid ${own}); the key in use is ${named[0]}`);
    return `one key is in use: ${named[0]}`;
  },
});

const IN_USE = 'select kid, not_before as created from signing_key where not_after is null order by not_before, kid';
