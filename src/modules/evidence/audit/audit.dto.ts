import { Flag, ListOf, Nested, Text } from '../../../common/fields/fields.js';

export class BundleCheck {
  @Text({ about: 'The step of verifying, as docs/formats names it.', example: 'signature' })
  name!: string;

  @Flag({ about: 'Whether it holds.' })
  ok!: boolean;

  @Text({ about: 'What was found.' })
  detail!: string;
}

export class BundleSubject {
  @Text({ about: 'What the bundle is about: receipt, answer, action, stream, or that of a proof pack.' })
  type!: string;

  @Text({ about: 'Which one; null where that is withheld.', nullable: true })
  id!: string | null;
}

export class BundleKey {
  @Text({ about: 'RFC 7638 thumbprint of the key.' })
  kid!: string;

  @Flag({ about: 'Whether it is a key of this server.' })
  known!: boolean;
}

export class BundleVerdictBody {
  @Flag({ about: 'Whether every check holds: the bundle is whole. By whom it was made is what known_issuer says.' })
  ok!: boolean;

  @Flag({
    about:
      'Whether all keys of the bundle are keys of this server. Otherwise anyone may have made it, with a key of their own.',
  })
  known_issuer!: boolean;

  @ListOf({ about: 'In the order of verifying: the first that does not hold is what failed.', type: () => BundleCheck })
  checks!: BundleCheck[];

  @Text({ about: 'svc-export-v2 or svc-proofpack-v3.' })
  format!: string;

  @Text({ about: 'Whose evidence it says it is; null when it cannot be read so far.', nullable: true })
  tenant_id!: string | null;

  @Nested({
    about: 'What it says it is about; null when it cannot be read so far.',
    nullable: true,
    type: () => BundleSubject,
  })
  subject!: BundleSubject | null;

  @ListOf({ about: 'The public keys inside.', type: () => BundleKey })
  keys!: BundleKey[];
}
