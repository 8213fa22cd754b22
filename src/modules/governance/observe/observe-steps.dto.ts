import { NAMED_DIGEST } from '../../../evidence/digest-forms.js';
import { Choice, DateTime, Flag, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { NODE_KINDS, OBSERVED_ID, RISK_CLASSES, STEP_ENDS, STEP_STATUSES, TRACE_KINDS } from './observe.types.js';
import type { NodeKind, RiskClass, StepEnd, StepStatus, TraceKind } from './observe.types.js';

/** Longest text that is taken, in characters; past 4 KiB its digest alone is kept. */
const MAX_TEXT = 1_000_000;
const MAX_ITEMS = 64;
const MAX_REF = 2048;

const Id = (about: string) => Text({ about, max: 128, pattern: OBSERVED_ID, example: 'sess-7' });
const OptionalId = (about: string) => Text({ about, optional: true, max: 128, pattern: OBSERVED_ID });
const Ref = (about: string) => Text({ about, optional: true, min: 1, max: MAX_REF });
const Receipt = (about: string) =>
  Text({ about: `${about}: a UUID, or blake3:<hex>.`, optional: true, min: 1, max: 200 });

export class ObservedSessionPath {
  @Id('The session, as X-Svc-Session-Id names it.')
  id!: string;
}

export class ObservedStepPath extends ObservedSessionPath {
  @Id('The step.')
  node_id!: string;
}

/** What went into a step. One of ref, digest and text is needed. */
export class TraceInput {
  @Choice({ about: 'What it is.', values: TRACE_KINDS })
  kind!: TraceKind;

  @Text({ about: 'Where it is: an id, a path, an address.', optional: true, nullable: true, min: 1, max: MAX_REF })
  ref?: string | null;

  @Text({
    about: 'Of the content: sha256:<hex> or blake3:<hex>. With a text it must be that of the text.',
    ...{ optional: true, nullable: true, pattern: NAMED_DIGEST },
  })
  digest?: string | null;

  @Text({
    about: 'The content. Kept as SVCD_OBSERVE_REDACT says; of more than 4 KiB digest and size alone are kept.',
    ...{ optional: true, nullable: true, max: MAX_TEXT },
  })
  text?: string | null;

  @Integer({
    about: 'Size of the content in bytes; with a text the server counts.',
    ...{ optional: true, nullable: true, min: 0, max: Number.MAX_SAFE_INTEGER },
  })
  bytes?: number | null;
}

/** What came out of a step. */
export class TraceOutput extends TraceInput {}

export class OpenStep {
  @Text({ about: 'What the step does, in a few words.', min: 1, max: 500, example: 'Find the refund policy' })
  label!: string;

  @Text({ about: 'Who does it: an agent, a model, a person.', min: 1, max: 200, example: 'agent:support' })
  actor!: string;

  @DateTime({ about: 'When it began.' })
  ts_start!: string;

  @OptionalId(
    'A name of your own, unique in the session; a repeat of the same step answers the step that there is. Left out, the server makes one.',
  )
  node_id?: string;

  @OptionalId('The step that this one is part of; it must be there. Left out: a root.')
  parent_id?: string;

  @Choice({ about: 'What sort of step it is.', values: NODE_KINDS, default: 'other' })
  kind!: NodeKind;

  @Choice({ about: 'The risk of what it does.', values: RISK_CLASSES, default: 'minimal' })
  risk_class!: RiskClass;

  @ListOf({ about: 'What goes into it.', type: () => TraceInput, optional: true, max: MAX_ITEMS })
  inputs?: TraceInput[];

  @Ref('Where more about the step is.')
  enrich_ref?: string;

  @Flag({
    about: 'Only who opened it, and admin scopes, see what is in it; others see that it is there.',
    default: true,
  })
  private!: boolean;

  @Flag({
    about:
      'For a root, an addition to the specification: while it is open, each tool call, retrieval and fact write that names the session becomes a step below it by itself.',
    default: false,
  })
  auto!: boolean;
}

export class CloseStep {
  @ListOf({ about: 'What came out of it.', type: () => TraceOutput, optional: true, max: MAX_ITEMS })
  outputs?: TraceOutput[];

  @Receipt('The receipt of what the step did')
  receipt_id?: string;

  @Receipt('The receipt of what the step changed')
  mutation_receipt_id?: string;

  @DateTime({ about: 'When it ended, not before it began; now when left out.', optional: true })
  ts_end?: string;

  @Choice({ about: 'What it ended with.', values: STEP_ENDS, default: 'ok' })
  status!: StepEnd;

  @Ref('Where the reasoning is.')
  reasoning_ref?: string;
}

const Shown = (about: string) => Text({ about, nullable: true });

/** An input or an output as it is kept. */
export class TraceItemView {
  @Choice({ about: 'What it is.', values: TRACE_KINDS })
  kind!: TraceKind;

  @Shown('Where it is; null where nothing says so.')
  ref!: string | null;

  @Shown('Of what was sent, before anything was masked.')
  digest!: string | null;

  @Shown('The content, masked; null where none came or none is kept.')
  text!: string | null;

  @Integer({ about: 'Size of what was sent, in bytes; null where nothing says so.', nullable: true })
  bytes!: number | null;
}

export class ObserveNode {
  @Text({ about: 'The step.' })
  node_id!: string;

  @Text({ about: 'The session.' })
  session_id!: string;

  @Shown('The step it is part of; null for a root.')
  parent_id!: string | null;

  @Integer({ about: 'How many steps are above it.', min: 0 })
  depth!: number;

  @Text({ about: 'What it does.' })
  label!: string;

  @Text({ about: 'Who does it.' })
  actor!: string;

  @Choice({ about: 'What sort of step it is.', values: NODE_KINDS })
  kind!: NodeKind;

  @Choice({ about: 'The risk of what it does.', values: RISK_CLASSES })
  risk_class!: RiskClass;

  @Choice({ about: 'Whether it is open, else what it ended with.', values: STEP_STATUSES })
  status!: StepStatus;

  @Flag({ about: 'Whether only who opened it, and admin scopes, see what is in it.' })
  private!: boolean;

  @Flag({ about: 'Whether you are not shown what is in it.' })
  withheld!: boolean;

  @ListOf({ about: 'What went into it.', type: () => TraceItemView })
  inputs!: TraceItemView[];

  @ListOf({ about: 'What came out of it.', type: () => TraceItemView })
  outputs!: TraceItemView[];

  @Shown('Where more about it is.')
  enrich_ref!: string | null;

  @Shown('Where the reasoning is.')
  reasoning_ref!: string | null;

  @Shown('The receipt of what it did.')
  receipt_id!: string | null;

  @Shown('The receipt of what it changed.')
  mutation_receipt_id!: string | null;

  @DateTime({ about: 'When it began.' })
  ts_start!: string;

  @DateTime({ about: 'When it ended; null while it is open.', nullable: true })
  ts_end!: string | null;

  @Flag({ about: 'Whether the server made it of what the session did.' })
  auto!: boolean;

  @Shown('The receipt of its opening; null for one that the server made.')
  open_receipt!: string | null;

  @Shown('The receipt of its close.')
  close_receipt!: string | null;

  @Shown('In the digests that the receipts bear, hexadecimal; null of a step that has none, and where it is withheld.')
  salt!: string | null;
}

export class ObserveNodeReply {
  @Nested({ about: 'The step as it is now.', type: () => ObserveNode })
  node!: ObserveNode;
}
