import { Choice, DateTime, Nested, Text, Url } from '../fields/fields.js';

export class HealthStatus {
  @Text({ about: 'ok, or fail.' })
  status!: string;

  @Text({ about: 'What is wrong, when something is; with ok, what the operator should know.', optional: true })
  reason?: string;
}

export class HealthChecks {
  @Nested({ about: 'The process is alive.', type: () => HealthStatus })
  livez!: HealthStatus;

  @Nested({ about: 'The process can do its work.', type: () => HealthStatus })
  readyz!: HealthStatus;
}

export class HealthSummary {
  @Text({ about: 'Which app answers.', example: 'api' })
  service!: string;

  @Choice({ about: 'Whether requests should be sent here.', values: ['healthy', 'degraded'] })
  status!: 'healthy' | 'degraded';

  @Nested({ about: 'The two probes, in one answer.', type: () => HealthChecks })
  checks!: HealthChecks;
}

export class BuildInfo {
  @Text({ about: 'The product.', example: 'svc' })
  service!: string;

  @Text({ about: 'Version of the package.', example: '0.1.0' })
  version!: string;

  @Text({ about: 'Git commit it was built from, where known.', nullable: true })
  commit!: string | null;

  @DateTime({ about: 'When it was built.' })
  builtAt!: string;

  @Text({ about: 'Git tag of the commit, where it has one.', nullable: true, optional: true })
  tag?: string | null;

  @Url({ about: 'Where the tagged release is described, where known.', nullable: true, optional: true })
  tagUrl?: string | null;
}
