import { Choice, Flag, FreeObject, Integer, ListOf, Text } from '../../../common/fields/fields.js';
import { WorkbenchAnswer } from './workbench.dto.js';

export class ApiDriftRequest {
  @FreeObject({
    about: 'The OpenAPI document that a client was made for: what GET /v1/openapi.json answered then.',
    example: { openapi: '3.1.0', paths: {} },
    isReadLater: true,
  })
  manifest!: Record<string, unknown>;

  @Integer({ about: 'Changes that are listed at most, the breaking ones first.', min: 1, max: 10_000, default: 500 })
  limit!: number;
}

export class ApiChange {
  @Text({ about: 'What became of what.', example: 'request.member_required' })
  change!: string;

  @Text({ about: 'The operation, and what of it.' })
  where!: string;

  @Flag({ about: 'Whether a client that was made for the sent manifest may fail.' })
  breaking!: boolean;

  @Text({ about: 'How it differs.' })
  detail!: string;
}

export class ApiDrift extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.api-drift/1'] })
  schema!: 'svc.workbench.api-drift/1';

  @Flag({ about: 'Whether anything breaks.' })
  breaking!: boolean;

  @Integer({ about: 'Changes that break.' })
  breaking_count!: number;

  @Integer({ about: 'Changes that do not.' })
  compatible_count!: number;

  @Integer({ about: 'Operations of the sent manifest.' })
  sent_operations!: number;

  @Integer({ about: 'Operations of the live one.' })
  live_operations!: number;

  @ListOf({ about: 'The changes, the breaking ones first.', type: () => ApiChange })
  changes!: ApiChange[];
}
