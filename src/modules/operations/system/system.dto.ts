import { Choice, DateTime, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';

export class Liveness {
  @Text({ about: 'ok.' })
  status!: string;
}

export class Build {
  @Text({ about: 'Git commit it was built from, where known.', nullable: true })
  commit!: string | null;

  @DateTime({ about: 'When it was built.' })
  built_at!: string;

  @Text({ about: 'Git tag of the commit, where it has one.', nullable: true })
  tag!: string | null;
}

export class Schema {
  @Text({ about: 'The last migration that this version of the daemon knows.' })
  name!: string;

  @Text({
    about: 'The last migration of the database, as it was seen lately; null while the database is away.',
    nullable: true,
  })
  applied!: string | null;
}

export const JOB_STATES = ['waiting', 'running', 'failing', 'stopped'] as const;

export class ScheduledJob {
  @Text({ about: 'What is done.', example: 'log_sequencer' })
  name!: string;

  @Choice({ about: 'failing: the last run ended with an error, and the next is on time.', values: JOB_STATES })
  state!: (typeof JOB_STATES)[number];

  @Integer({ about: 'Time between two runs, in milliseconds.' })
  every_ms!: number;

  @DateTime({ about: 'When it last ended without an error; null before it did.', nullable: true })
  last_run_at!: string | null;
}

export class Scheduler {
  @Choice({ about: 'failing while one of the jobs does.', values: ['running', 'failing'] })
  state!: 'running' | 'failing';

  @ListOf({ about: 'What this process does by itself, by name.', type: () => ScheduledJob })
  jobs!: ScheduledJob[];
}

export class DaemonVersion {
  @Text({ about: 'The product.', example: 'svc' })
  service!: string;

  @Text({ about: 'Version of the package.', example: '0.1.0' })
  version!: string;

  @Nested({ about: 'What was built, and when.', type: () => Build })
  build!: Build;

  @Nested({ about: 'The schema of the database.', type: () => Schema })
  schema!: Schema;

  @Nested({ about: 'The timed work of this process.', type: () => Scheduler })
  scheduler!: Scheduler;

  @DateTime({ about: 'When this process started.' })
  started_at!: string;
}

export class Nonce {
  @Text({
    about: '32 random bytes in base64url. It works once.',
    example: 'mY0c2b8uY1k0m0YwXoX3p8n7c1q5z9e2r4t6u8i0o1A',
  })
  nonce!: string;

  @Integer({ about: 'How long it works, in seconds.', example: 120 })
  ttl_seconds!: number;
}
