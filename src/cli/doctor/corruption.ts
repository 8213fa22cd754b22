import type { Client } from 'pg';
import type { Settings } from '../../common/config/settings.js';
import { withConnection, type DatabaseAddress } from '../../common/database/connection.js';
import type { Check } from '../../common/health/check.js';

type Ask = <Row extends object>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

/** Something the daemon found damaged, which keeps it from being ready until an operator clears it. */
export interface CorruptionFinding {
  source: string;
  subject: string;
  detail: string;
  found_at: Date;
}

const MAX_NAMED = 10;

/** That nothing damaged waits for the operator. */
export const corruptionCheck = (ask: Ask): Check => ({
  name: 'corruption',
  remedy:
    'Mend or restore what is named, then run "svc doctor --clear-corruption"; what is still damaged is found again.',
  run: async () => {
    const open = await ask<CorruptionFinding>(
      'select source, subject, detail, found_at from corruption_finding where cleared_at is null order by finding_id',
    );
    if (open.length === 0) return 'nothing was found damaged';
    const named = open.slice(0, MAX_NAMED).map(({ source, subject, detail }) => `${source} ${subject}: ${detail}`);
    throw new Error(`${open.length} found damaged: ${named.join('; ')}${open.length > MAX_NAMED ? '; ...' : ''}`);
  },
});

/** The operator has dealt with all that was found so far. @returns what that was */
export async function clearCorruption(settings: Settings, address: DatabaseAddress): Promise<CorruptionFinding[]> {
  const clear = (client: Client) =>
    client.query<CorruptionFinding>(
      'update corruption_finding set cleared_at = now() where cleared_at is null returning source, subject, detail, found_at',
    );
  return (await withConnection(address, 'svc_operator', clear, { settings })).rows;
}
