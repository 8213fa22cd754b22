import { BLAKE3_DIGEST } from '../../../evidence/digest-forms.js';
import { Choice, DateTime, Flag, Integer, ListOf, Nested, Text, Uuid } from '../../../common/fields/fields.js';

export class SessionChannel {
  @Integer({ about: 'The port.' })
  port!: number;

  @Text({ about: 'What its addresses begin with.' })
  path!: string;
}

export class SessionChannels {
  @Nested({ about: 'The HTTP API, at the port that was called.', type: () => SessionChannel })
  http!: SessionChannel;

  @Nested({
    about:
      'The MCP channel as this rail has always reported it: port 14800, where there is no /mcp. The MCP endpoint is on SVCD_MCP_PORT, 14801 unless set.',
    type: () => SessionChannel,
  })
  mcp!: SessionChannel;
}

export class SessionHandshake {
  @Uuid({ about: 'A name for the session. Nothing is kept under it.' })
  session_id!: string;

  @Choice({ about: 'The handshake this is.', values: ['svc-session/1'] })
  protocol!: 'svc-session/1';

  @DateTime({ about: 'When it was made.' })
  opened_at!: string;

  @Nested({ about: 'Where to go on.', type: () => SessionChannels })
  channels!: SessionChannels;

  @Text({ about: 'What people should know who read this.' })
  note!: string;
}

export class InvocationEnvelope {
  @Text({
    about: 'An execution receipt as it was given out: its COSE_Sign1 message in base64 or base64url.',
    min: 1,
    max: 16_384,
    pattern: /^[A-Za-z0-9+/_-]+={0,2}$/,
  })
  cose!: string;

  @Uuid({ about: 'The id that the receipt is said to have.', optional: true })
  receipt_id?: string;

  @Text({
    about: 'The hash that its payload is said to have.',
    optional: true,
    pattern: BLAKE3_DIGEST,
  })
  payload_hash?: string;
}

export class InvocationCheck {
  @Text({ about: 'signature, key_validity, log_inclusion, receipt_id or payload_hash.' })
  name!: string;

  @Flag({ about: 'Whether it holds.' })
  ok!: boolean;

  @Text({ about: 'What was seen.' })
  detail!: string;
}

export class InvocationVerdict {
  @Flag({ about: 'Whether every check holds.' })
  valid!: boolean;

  @Uuid({ about: 'The id that follows from the payload.' })
  receipt_id!: string;

  @Text({ about: 'BLAKE3 of the payload.' })
  payload_hash!: string;

  @Text({ about: 'The key that is said to have signed (RFC 7638).' })
  kid!: string;

  @Integer({ about: 'Its leaf in the transparency log; null when it has none.', nullable: true })
  leaf_index!: number | null;

  @Integer({ about: 'Size of the log that was looked at; null when it has no checkpoint.', nullable: true })
  tree_size!: number | null;

  @ListOf({ about: 'What was checked.', type: () => InvocationCheck })
  checks!: InvocationCheck[];
}
