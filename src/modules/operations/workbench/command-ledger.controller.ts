import { Body, Controller, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { CommandLedger, CommandLedgerQuery, CommandRecorded, RecordCommand } from './command-ledger.dto.js';
import { CommandLedgerService } from './command-ledger.service.js';
import { CommandKnown } from './workbench.problems.js';

const tag = 'workbench';
const service = 'ledger:history' as const;

@Controller()
export class CommandLedgerController {
  constructor(private readonly ledger: CommandLedgerService) {}

  @Route('GET /v1/workbench/command-ledger', {
    tag,
    service,
    summary: 'List commands of the ledger',
    description: 'The newest first. Each page is held against its digests: a change in the database fails.',
    access: anyOf('admin:read', 'admin:write', 'ledger:history'),
    reply: ok(CommandLedger),
  })
  listCommands(@Caller() caller: DaemonCaller, @Query() query: CommandLedgerQuery): Promise<CommandLedger> {
    return this.ledger.list(caller, query);
  }

  @Route('POST /v1/workbench/command-ledger', {
    tag,
    service,
    summary: 'Record a command in the ledger',
    description:
      'Entries are never changed, and each names the digest of the one before; the receipt names its own. The same command_id with the same content answers the entry that is there.',
    access: anyOf('admin:read', 'admin:write', 'ledger:history'),
    reply: ok(CommandRecorded),
    problems: [CommandKnown],
  })
  recordCommand(@Caller() caller: DaemonCaller, @Body() body: RecordCommand): Promise<CommandRecorded> {
    return this.ledger.record(caller, body);
  }
}
