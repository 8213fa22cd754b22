import { DateTime, Flag, Integer, ListOf, Nested, Text, TextList } from '../../../common/fields/fields.js';

export class WitnessCheck {
  @Text({ about: 'checkpoint_signature, checkpoint_root or consistency.' })
  name!: string;

  @Flag({ about: 'Whether it holds.' })
  ok!: boolean;

  @Text({ about: 'What was seen.' })
  detail!: string;
}

export class WitnessedLog {
  @Text({ about: 'Origin line of the checkpoint.' })
  origin!: string;

  @Integer({ about: 'Leaves of the log.' })
  size!: number;

  @Text({ about: 'Root hash of the tree, `sha256:<hex>`.' })
  root!: string;

  @Text({ about: 'The checkpoint itself: a C2SP signed note, for a witness to verify and to cosign.' })
  checkpoint!: string;

  @Text({ about: 'The key that signed it (RFC 7638); /v1/auth/keys has its public half.' })
  kid!: string;
}

export class WitnessedConsistency {
  @Integer({ about: 'Size of the log when this process first saw it.' })
  from!: number;

  @Integer({ about: 'Size of the checkpoint.' })
  to!: number;

  @TextList({ about: 'Consistency proof of RFC 6962 section 2.1.2, each `sha256:<hex>`.' })
  path!: string[];
}

export class WitnessSmoke {
  @Flag({ about: 'Whether every check holds.' })
  ok!: boolean;

  @Nested({ about: 'The head of the transparency log.', type: () => WitnessedLog })
  log!: WitnessedLog;

  @Nested({ about: 'That the log only grew since.', type: () => WitnessedConsistency })
  consistency!: WitnessedConsistency;

  @ListOf({ about: 'What was checked.', type: () => WitnessCheck })
  checks!: WitnessCheck[];

  @DateTime({ about: 'When it was checked; a result is cached for a second.' })
  checked_at!: string;
}
