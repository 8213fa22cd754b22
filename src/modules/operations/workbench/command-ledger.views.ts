import { namedDigest } from '../../../evidence/digest.js';
import type { LedgerCommand, LedgerHead } from './command-ledger.dto.js';
import type { CommandRow } from './command.entity.js';

export const commandOf = (row: CommandRow): LedgerCommand => ({
  ...{ seq: row.seq, command_id: row.commandId, command: row.command, session_id: row.sessionId, cwd: row.cwd },
  ...{ exit_code: row.exitCode, output_digest: row.outputDigest, principal: row.principal },
  started_at: row.startedAt?.toISOString() ?? null,
  ended_at: row.endedAt?.toISOString() ?? null,
  recorded_at: row.recordedAt.toISOString(),
  salt: row.salt,
  content_digest: namedDigest('sha256', row.contentDigest),
  previous: namedDigest('sha256', row.previous),
  digest: namedDigest('sha256', row.digest),
  receipt_id: row.receiptId,
});

export const headOf = (row: CommandRow): LedgerHead => ({
  ...{ seq: row.seq, digest: namedDigest('sha256', row.digest), receipt_id: row.receiptId },
});
