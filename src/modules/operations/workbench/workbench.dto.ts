import { Choice, Flag, ListOf, Text, TextList } from '../../../common/fields/fields.js';
import { PRO_SERVICES, type ProService } from '../../../common/contract/scopes.js';
import { SEVERITIES, VERDICTS, type Severity, type Verdict } from './workbench.types.js';

export class FindingEvidence {
  @Text({ about: 'What it is: lease, intent, work, receipt, step, decision, route, fact, command.' })
  kind!: string;

  @Text({ about: 'Its id there.' })
  ref!: string;

  @Text({ about: 'What is known of it.' })
  detail!: string;
}

export class WorkbenchFinding {
  @Text({ about: 'The rule that found it.', example: 'impact.path_held' })
  id!: string;

  @Choice({ about: 'info leaves the verdict ok; warn and fail become it.', values: SEVERITIES })
  severity!: Severity;

  @Text({ about: 'What it is about.' })
  subject!: string;

  @ListOf({ about: 'What it rests on.', type: () => FindingEvidence })
  evidence!: FindingEvidence[];

  @Text({ about: 'What to do about it.' })
  fix!: string;
}

/** What every answer of the workbench has. */
export class WorkbenchAnswer {
  @ListOf({ about: 'What was found, the worst first.', type: () => WorkbenchFinding })
  findings!: WorkbenchFinding[];

  @Text({ about: 'The same in a sentence.' })
  summary!: string;

  @Choice({ about: 'The worst severity of the findings: what a CI step asks for.', values: VERDICTS })
  verdict!: Verdict;
}

export class WorkbenchRoute {
  @Text({ about: 'Method and path.', example: 'POST /v1/workbench/brief' })
  route!: string;

  @Text({ about: 'What it does.' })
  what!: string;

  @Choice({ about: 'The service that it is; null: public.', values: PRO_SERVICES, nullable: true })
  service!: ProService | null;

  @TextList({ about: 'Any of these scopes opens it; none: it is public.' })
  scopes!: string[];

  @Flag({ about: 'Whether it answers here: SVCD_ENABLED_PRO_SERVICES lists the service.' })
  enabled!: boolean;
}

export class WorkbenchContract extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.contract/1'] })
  schema!: 'svc.workbench.contract/1';

  @ListOf({ about: 'The routes of the workbench.', type: () => WorkbenchRoute })
  routes!: WorkbenchRoute[];
}
