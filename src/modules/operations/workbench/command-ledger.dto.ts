import { NAMED_DIGEST } from '../../../evidence/digest-forms.js';
import { Choice, DateTime, Flag, Integer, ListOf, Nested, Text, Uuid } from '../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { WorkbenchAnswer } from './workbench.dto.js';

const nullable = true;
const optional = true;

export class RecordCommand {
  @Text({
    about: 'A name of your own for this run of the command: sent again it changes nothing.',
    ...{ min: 1, max: 200, example: 'ci-4711-build' },
  })
  command_id!: string;

  @Text({
    about: 'The command as it was run. Secrets in it are masked before it is stored.',
    ...{ min: 1, max: 16_384, example: 'npm test' },
  })
  command!: string;

  @Text({ about: 'The session that ran it; that of X-Svc-Session-Id when absent.', optional, min: 1, max: 200 })
  session_id?: string;

  @Text({ about: 'The folder it ran in.', optional, min: 1, max: 4096 })
  cwd?: string;

  @Integer({
    about: 'What it ended with; absent while it is not known.',
    optional,
    min: -2_147_483_648,
    max: 2_147_483_647,
  })
  exit_code?: number;

  @DateTime({ about: 'When it began.', optional })
  started_at?: string;

  @DateTime({ about: 'When it ended.', optional })
  ended_at?: string;

  @Text({ about: 'Of what it printed: sha256:<hex> or blake3:<hex>.', optional, pattern: NAMED_DIGEST })
  output_digest?: string;
}

export class LedgerCommand {
  @Integer({ about: 'Its place: 1 for the first of the tenant, then one more each.', min: 1 })
  seq!: number;

  @Text({ about: 'The name it was recorded under.' })
  command_id!: string;

  @Text({ about: 'The command, secrets masked; `[erased]` where the erasure of a subject took it.' })
  command!: string;

  @Text({ about: 'The session.', nullable })
  session_id!: string | null;

  @Text({ about: 'The folder.', nullable })
  cwd!: string | null;

  @Integer({ about: 'What it ended with.', nullable })
  exit_code!: number | null;

  @DateTime({ about: 'When it began.', nullable })
  started_at!: string | null;

  @DateTime({ about: 'When it ended.', nullable })
  ended_at!: string | null;

  @Text({ about: 'The digest of what it printed.', nullable })
  output_digest!: string | null;

  @Text({ about: 'Who recorded it.' })
  principal!: string;

  @DateTime({ about: 'When it was recorded.' })
  recorded_at!: string;

  @Text({ about: 'Hexadecimal; goes into content_digest.' })
  salt!: string;

  @Text({ about: 'Digest of what is said of it, `sha256:<hex>`.' })
  content_digest!: string;

  @Text({ about: 'Digest of the one before; zeros of the first.' })
  previous!: string;

  @Text({ about: 'Its own digest, which the next one names.' })
  digest!: string;

  @Uuid({ about: 'The receipt, which names seq and digest.' })
  receipt_id!: string;
}

export class CommandRecorded extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.command/1'] })
  schema!: 'svc.workbench.command/1';

  @Nested({ about: 'The command as it stands in the ledger.', type: () => LedgerCommand })
  entry!: LedgerCommand;

  @Flag({ about: 'Whether it was there already: nothing was written.' })
  repeated!: boolean;
}

export class CommandLedgerQuery extends PageQuery {
  @Text({ about: 'Only commands of this session.', optional, min: 1, max: 200 })
  session_id?: string;
}

export class LedgerHead {
  @Integer({ about: 'The newest seq.', min: 1 })
  seq!: number;

  @Text({ about: 'Its digest.' })
  digest!: string;

  @Uuid({ about: 'The receipt that names both.' })
  receipt_id!: string;
}

export class CommandLedger extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.command-ledger/1'] })
  schema!: 'svc.workbench.command-ledger/1';

  @ListOf({ about: 'Commands, the newest first.', type: () => LedgerCommand })
  commands!: LedgerCommand[];

  @PageCount()
  count!: number;

  @Flag({ about: 'Whether older ones follow.' })
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;

  @Nested({ about: 'The head of the chain; null before the first command.', type: () => LedgerHead, nullable })
  head!: LedgerHead | null;
}
