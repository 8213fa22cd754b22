import { Choice, Flag, Integer, ListOf, Text, TextList } from '../../../common/fields/fields.js';
import { ROUTE_AUTH_MODES, type RouteAuthMode } from '../../../common/config/daemon/daemon-settings.js';
import { WorkbenchAnswer } from './workbench.dto.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const nullable = true;

export class RouteProbeRequest {
  @Choice({ about: 'The method.', values: METHODS, example: 'POST' })
  method!: (typeof METHODS)[number];

  @Text({
    about: 'The path as it would be sent, or a template: a query is left aside.',
    ...{ min: 1, max: 2048, pattern: /^\//, example: '/v1/facts' },
  })
  path!: string;

  @TextList({
    about: 'The scopes that the caller would have; none: no credential.',
    max: 100,
    maxItems: 64,
    default: [],
  })
  scopes!: string[];
}

export class ProbedMode {
  @Choice({ about: 'The mode of SVCD_ROUTE_AUTH.', values: ROUTE_AUTH_MODES })
  mode!: RouteAuthMode;

  @Flag({ about: 'Whether this is the mode of this daemon.' })
  current!: boolean;

  @Choice({ about: 'Whether the handler would get the request.', values: ['passes', 'refused'] })
  outcome!: 'passes' | 'refused';

  @Integer({ about: 'The status of the refusal; null where the handler answers.', nullable })
  status!: number | null;

  @Text({ about: 'The code of the refusal.', nullable })
  code!: string | null;

  @Text({ about: 'Why.', nullable })
  detail!: string | null;

  @TextList({ about: 'Any of these would have sufficed.' })
  missing_any_scope!: string[];

  @TextList({ about: 'All of these are missing.' })
  missing_scopes!: string[];

  @Flag({ about: 'Whether the log would get the line route_auth_shadow_mismatch.' })
  marked!: boolean;
}

export class RouteProbe extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.route-probe/1'] })
  schema!: 'svc.workbench.route-probe/1';

  @Text({ about: 'The template of the route that is there; null: none.', nullable })
  route!: string | null;

  @Text({ about: 'Its class to route-auth; null: it is not classified.', nullable })
  route_class!: string | null;

  @TextList({ about: 'What route-auth takes any of.' })
  route_scopes!: string[];

  @Text({ about: 'How the handler checks scopes: any, all, unchecked, anyone; null without a route.', nullable })
  handler_rule!: string | null;

  @TextList({ about: 'The scopes that the handler names.' })
  handler_scopes!: string[];

  @Text({ about: 'The setting that it is behind.', nullable })
  flag!: string | null;

  @ListOf({ about: 'What each mode would answer.', type: () => ProbedMode })
  modes!: ProbedMode[];
}
