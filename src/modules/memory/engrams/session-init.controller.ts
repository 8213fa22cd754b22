import { Body, Controller } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { ProjectUnknown } from '../../projects/projects/projects.problems.js';
import { SpellingsDiffer } from './engrams.problems.js';
import { StartedSession, StartSession } from './session-init.dto.js';
import { SessionInitService } from './session-init.service.js';

@Controller()
export class SessionInitController {
  constructor(private readonly sessions: SessionInitService) {}

  @Route('POST /v1/memory/session-init', {
    tag: 'engrams',
    summary: 'Assemble the beginning of a session',
    description:
      'Who the agent is, what a session does, the engrams that apply, recent facts, open work and pending gates, as one text of whole items within token_budget. What is left out is listed with the reason; facts, work and gates need the scopes of their own routes. The same state gives the same hash.',
    access: anyOf('sessions:read', 'query:read', 'admin:read'),
    reply: ok(StartedSession),
    problems: [SpellingsDiffer, ProjectUnknown],
    tried: { body: { project_id: undefined } },
  })
  startSession(@Caller() caller: DaemonCaller, @Body() body: StartSession): Promise<StartedSession> {
    return this.sessions.start(caller, body);
  }
}
