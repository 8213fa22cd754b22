import { Choice, Integer, ListOf, Nested, Text, TextList } from '../../../common/fields/fields.js';
import { AssembledContext, CONTEXT_KINDS } from '../../memory/context/assembled-context.types.js';
import { WorkbenchAnswer } from './workbench.dto.js';

const MAX_BUDGET = 1_000_000;
const Task = () => Text({ about: 'What is to be done.', min: 1, max: 8192, example: 'Speed up the board' });
const ProjectField = () => Text({ about: 'The project it is done in.', optional: true, min: 1, max: 128 });
const SessionField = () => Text({ about: 'The session that does it.', optional: true, min: 1, max: 200 });

export class BriefRequest {
  @Task()
  task!: string;

  @ProjectField()
  project_id?: string;

  @SessionField()
  session_id?: string;

  @Integer({ about: 'Tokens of all items together at most.', min: 1, max: MAX_BUDGET, default: 1500 })
  token_budget!: number;
}

export class BriefSource {
  @Choice({ about: 'What it is.', values: CONTEXT_KINDS })
  kind!: (typeof CONTEXT_KINDS)[number];

  @Text({ about: 'Its id within its kind.' })
  id!: string;

  @Text({ about: 'The digest of it in this version.' })
  hash!: string;

  @Integer({ about: 'Tokens of its text (o200k_base).' })
  tokens!: number;

  @Text({ about: 'Why it is here.' })
  why!: string;
}

export class Brief extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.brief/1'] })
  schema!: 'svc.workbench.brief/1';

  @Text({ about: 'The brief as Markdown, for the beginning of a conversation: whole items, by kind.' })
  brief!: string;

  @ListOf({ about: 'What it is made of, in that order.', type: () => BriefSource })
  sources!: BriefSource[];

  @Text({ about: 'Equal briefs of equal tasks have equal hashes.' })
  context_hash!: string;
}

export class PackRequest {
  @Task()
  task!: string;

  @ProjectField()
  project_id?: string;

  @SessionField()
  session_id?: string;

  @Integer({ about: 'Tokens of all items together at most.', min: 1, max: MAX_BUDGET, default: 4000 })
  token_budget!: number;

  @TextList({
    about: `Which kinds to look for: ${CONTEXT_KINDS.join(', ')}. Absent: all of them.`,
    ...{ optional: true, max: 20, minItems: 1, maxItems: CONTEXT_KINDS.length },
  })
  include?: string[];
}

export class ContextPack extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.context-pack/1'] })
  schema!: 'svc.workbench.context-pack/1';

  @Nested({ about: 'The context, as POST /v1/context answers it.', type: () => AssembledContext })
  context!: AssembledContext;
}
