import { canonicalJson } from '../../../evidence/canonical-json.js';
import { sha256 } from '../../../evidence/sha256.js';
import type { CommandRow } from './command.entity.js';

/** What is said of a command. */
export type CommandContent = Pick<
  CommandRow,
  'command' | 'cwd' | 'sessionId' | 'exitCode' | 'startedAt' | 'endedAt' | 'outputDigest'
>;
type Placed = Pick<CommandRow, 'seq' | 'commandId' | 'principal' | 'recordedAt' | 'contentDigest' | 'previous'>;

export const NO_PREVIOUS = Buffer.alloc(32);

/** What stands in the place of erased content (svc_erase_found). */
export const ERASED = '[erased]';

/** SHA-256 over the canonical JSON (RFC 8785) of what is said of a command, with the salt. */
export const contentDigestOf = (salt: string, content: CommandContent): Buffer =>
  digest({
    ...{ command: content.command, cwd: content.cwd, session_id: content.sessionId, exit_code: content.exitCode },
    ...{ started_at: content.startedAt?.toISOString() ?? null, ended_at: content.endedAt?.toISOString() ?? null },
    ...{ output_digest: content.outputDigest, salt },
  });

/** The link of the chain: of the content it has the digest alone, so that it holds where content was erased. */
export const linkOf = (tenantId: string, row: Placed): Buffer =>
  digest({
    ...{ v: 1, tenant_id: tenantId, seq: row.seq, command_id: row.commandId, principal: row.principal },
    recorded_at: row.recordedAt.toISOString(),
    ...{ content_digest: hex(row.contentDigest), previous: hex(row.previous) },
  });

const digest = (value: object): Buffer => Buffer.from(sha256(canonicalJson(value)));
const hex = (bytes: Buffer): string => bytes.toString('hex');

/** The first of some neighbours, newest first, that is not what it says, with what is wrong of it. */
export function findBreak(tenantId: string, rows: readonly CommandRow[]): { seq: number; why: string } | undefined {
  for (const [place, row] of rows.entries()) {
    const { seq } = row;
    if (row.salt !== ERASED && !contentDigestOf(row.salt, row).equals(row.contentDigest))
      return { seq, why: 'what it says is not what its digest was made of' };
    if (!linkOf(tenantId, row).equals(row.digest)) return { seq, why: 'its digest is not that of its members' };
    const before = rows[place + 1];
    if (before && (before.seq !== seq - 1 || !before.digest.equals(row.previous)))
      return { seq, why: `it does not follow the command ${before.seq}` };
    if (seq === 1 && !row.previous.equals(NO_PREVIOUS)) return { seq, why: 'it is the first, and names one before it' };
  }
  return undefined;
}
