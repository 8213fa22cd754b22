import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  PassportList,
  PassportPath,
  PassportQuery,
  PassportReply,
  PresenceList,
  PresenceQuery,
  RegisterPassport,
  RevokedPassport,
  RevokePassport,
} from './passports.dto.js';
import { MintRequestNeeded, PassportKnown, PassportNotRegistered } from './passports.problems.js';
import { PassportsService } from './passports.service.js';

const tag = 'passports';
const extension = true;
const reads = anyOf('admin:read', 'facts:read', 'query:read', 'sessions:read');
const registers = anyOf('admin:write', 'facts:write', 'integrations:install');

@Controller()
export class PassportsController {
  constructor(private readonly passports: PassportsService) {}

  @Route('GET /v1/passports', { tag, summary: 'List passports', access: reads, reply: ok(PassportList) })
  listPassports(@Caller() caller: DaemonCaller, @Query() query: PassportQuery): Promise<PassportList> {
    return this.passports.list(caller, query);
  }

  @Route('POST /v1/passports', {
    ...{ tag, summary: 'Register a passport', access: registers, reply: ok(PassportReply) },
    description:
      'In one tenant. Where none is registered any passport is accepted; from the first one on, those that projects and planes name have to be registered. A key is optional: with one, and its proof, the passport is attested. With SVCD_FEATURE_PASSPORT_MINT_REQUESTS=1 it takes admin:write; others ask.',
    problems: [PassportKnown, MintRequestNeeded],
  })
  registerPassport(@Caller() caller: DaemonCaller, @Body() body: RegisterPassport): Promise<PassportReply> {
    return this.passports.register(caller, body);
  }

  @Route('GET /v1/passports/presence', {
    ...{ tag, extension, summary: 'List which passports are active', access: reads, reply: ok(PresenceList) },
    description: 'Which passports requests bore lately, registered or not. A passport is noted once in half a minute.',
  })
  listPresence(@Caller() caller: DaemonCaller, @Query() query: PresenceQuery): Promise<PresenceList> {
    return this.passports.listSeen(caller, query);
  }

  @Route('GET /v1/passports/:id', {
    ...{ tag, extension, summary: 'Read a passport', access: reads, reply: ok(PassportReply) },
    problems: [PassportNotRegistered],
  })
  readPassport(@Caller() caller: DaemonCaller, @Param() { id }: PassportPath): Promise<PassportReply> {
    return this.passports.read(caller, id);
  }

  @Route('DELETE /v1/passports/:id', {
    ...{ tag, extension, summary: 'Revoke a passport', access: anyOf('admin:write'), reply: ok(RevokedPassport) },
    description:
      'For ever. Its leases, punchcards and intents are free at once, gates that it asked for or alone could decide lapse, and each end is recorded. Every process refuses it with 403 PASSPORT_REVOKED and ends its streams within a second.',
    problems: [PassportNotRegistered],
  })
  revokePassport(
    @Caller() caller: DaemonCaller,
    @Param() { id }: PassportPath,
    @Query() query: RevokePassport,
  ): Promise<RevokedPassport> {
    return this.passports.revoke(caller, id, query);
  }
}
