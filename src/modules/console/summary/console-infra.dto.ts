import { Choice, Flag, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';

export class ConsoleProcess {
  @Integer({ about: 'The process.' })
  pid!: number;

  @Text({ about: 'Version of the product.' })
  version!: string;

  @Integer({ about: 'How long it runs, in seconds.' })
  uptime_seconds!: number;

  @Integer({ about: 'Resident memory, in bytes.' })
  memory_bytes!: number;

  @Flag({ about: 'Whether a supervisor starts it again.' })
  supervised!: boolean;
}

export class ConsoleDatabase {
  @Integer({ about: 'Size of the database, in bytes.' })
  bytes!: number;

  @Integer({ about: 'Its connections now, of all processes.' })
  connections!: number;

  @Integer({ about: 'How many the server takes.' })
  max_connections!: number;

  @Integer({ about: 'Connections of the pool of a process at most.' })
  pool_size!: number;
}

export class ConsoleStreams {
  @Integer({ about: 'Streams of the tenant; counted up to 100,000.' })
  streams!: number;

  @Integer({ about: 'Their events.' })
  events!: number;

  @Integer({ about: 'Sealed segments.' })
  segments!: number;
}

export class ConsoleReplica {
  @Text({ about: 'The node.' })
  node_id!: string;

  @Integer({ about: 'Its last segment that is kept here.' })
  last_seq!: number;

  @Integer({ about: 'Bytes that are kept of it.' })
  bytes!: number;
}

export class ConsoleGate {
  @Text({ about: 'The readiness gate.' })
  gate!: string;

  @Flag({ about: 'Whether it holds.' })
  ok!: boolean;
}

export class ConsoleJob {
  @Text({ about: 'What is done.' })
  name!: string;

  @Text({ about: 'waiting, running, failing or stopped.' })
  state!: string;
}

export class InfraSummary {
  @Choice({ about: 'Whether every gate holds.', values: ['ready', 'not_ready'] })
  status!: 'ready' | 'not_ready';

  @ListOf({ about: 'The gates of GET /readyz, with SVCD_PUBLIC_PROBES_MINIMAL too.', type: () => ConsoleGate })
  gates!: ConsoleGate[];

  @Nested({ about: 'The process that answers.', type: () => ConsoleProcess })
  process!: ConsoleProcess;

  @Nested({ about: 'The database.', type: () => ConsoleDatabase })
  database!: ConsoleDatabase;

  @ListOf({ about: 'The timed work of the process.', type: () => ConsoleJob })
  jobs!: ConsoleJob[];

  @Nested({ about: 'Streams and segments of the tenant.', type: () => ConsoleStreams })
  streams!: ConsoleStreams;

  @Integer({ about: 'Leaves of the evidence log; null before its first checkpoint.', nullable: true })
  log_size!: number | null;

  @ListOf({ about: 'Nodes that sent segments of the tenant.', type: () => ConsoleReplica })
  replicas!: ConsoleReplica[];
}

export class EmbeddingProbe {
  @Choice({
    about: 'ok: it gave a vector; not_configured: SVC_EMBEDDINGS_URL is unset; failed: see detail.',
    values: ['ok', 'not_configured', 'failed'],
  })
  status!: 'ok' | 'not_configured' | 'failed';

  @Text({ about: 'The model that was asked for; null where none is configured.', nullable: true })
  model!: string | null;

  @Integer({ about: 'Dimensions of the vector; null without one.', nullable: true })
  dimension!: number | null;

  @Integer({ about: 'How long it took, in milliseconds; null where nothing was asked.', nullable: true })
  latency_ms!: number | null;

  @Text({ about: 'What to do.' })
  detail!: string;
}

export class OnboardingStep {
  @Text({ about: 'Its name.' })
  id!: string;

  @Text({ about: 'What to do.' })
  title!: string;

  @Text({ about: 'How: a command or a route.' })
  how!: string;

  @Text({ about: 'The page that says more.' })
  docs!: string;
}

export class Onboarding {
  @ListOf({
    about: 'In their order. The same for everybody: nothing of any tenant is looked at.',
    type: () => OnboardingStep,
  })
  steps!: OnboardingStep[];
}
