import { Choice, Flag, ListOf, Text, TextList } from '../../../common/fields/fields.js';

/** What is answered in place of the endpoint's answer while there is none. */
export class GpuFallback {
  @Flag({ about: 'false: SVCD_GPU1_BASE_URL is not set.' })
  endpoint_configured!: false;

  @Flag({ about: 'true: nothing was computed.' })
  fallback!: true;

  @Text({ about: 'What was asked for.', example: 'embed' })
  surface!: string;

  @Text({ about: 'The setting that names an endpoint.' })
  flag!: string;

  @Text({ about: 'What to set for it to work.' })
  detail!: string;
}

export class HostedSurface {
  @Choice({ about: 'The method.', values: ['GET', 'POST'] })
  method!: 'GET' | 'POST';

  @Text({ about: 'The path.' })
  path!: string;

  @Text({ about: 'What it is for.' })
  summary!: string;

  @TextList({ about: 'Scopes, any of which opens it.' })
  any_of!: string[];
}

export class AccessContract {
  @Text({ about: 'The form of this answer.', example: 'svc.access_contract/1' })
  schema!: string;

  @Flag({ about: 'Whether SVCD_GPU1_BASE_URL names an endpoint.' })
  endpoint_configured!: boolean;

  @ListOf({ about: 'The routes of the build feature hosted-surfaces, and what opens them.', type: () => HostedSurface })
  surfaces!: HostedSurface[];
}
