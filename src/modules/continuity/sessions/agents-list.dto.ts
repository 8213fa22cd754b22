import { Choice, DateTime, ListOf, Text } from '../../../common/fields/fields.js';
import { ACTIVITY_KINDS, type ActivityKind } from './continuity.types.js';

export class HomeAgent {
  @Text({ about: 'The agent.' })
  agentId!: string;

  @DateTime({ about: 'When it last left something here; to about ten seconds.' })
  lastActiveAt!: string;

  @Choice({
    about:
      'What that was: a retrieval, a recorded answer, an entry of its journal, a watch, a proof, or a movement of its credits.',
    values: ACTIVITY_KINDS,
  })
  lastActivity!: ActivityKind;
}

export class HomeList {
  @ListOf({ about: 'Agents, the last active first.', type: () => HomeAgent })
  agents!: HomeAgent[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}
