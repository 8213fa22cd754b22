import { HEX_DIGEST } from '../../../evidence/digest-forms.js';
import { Integer, Text, TextList } from '../../../common/fields/fields.js';

const MAX_NOTE = 32 * 1024;
const MAX_STATEMENTS = 256;
const MAX_STATEMENT = 16 * 1024;

export class OriginPath {
  @Text({ about: 'SHA-256 of the origin of a log, in lower-case hexadecimal digits.', pattern: HEX_DIGEST })
  originHash!: string;
}

export class HeadQuery {
  @Text({ about: 'The origin of the newest head that the caller has seen.', optional: true, max: 1000 })
  origin?: string;

  @Integer({ about: 'Its size: the proof leads from there.', min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 })
  from!: number;
}

/** The newest head of this server's own log, with all that a peer needs to look at it. */
export class OwnHead {
  @Text({ about: 'Origin line of the checkpoint.' })
  origin!: string;

  @Text({ about: 'The newest checkpoint: a C2SP signed note.' })
  checkpoint!: string;

  @Integer({ about: 'The size from which the proof leads; 0 where the caller has seen none of this origin.' })
  from!: number;

  @TextList({ about: 'Consistency proof of RFC 6962 section 2.1.2, each `sha256:<hex>`.' })
  proof!: string[];

  @TextList({
    about: 'The receipts by which the first key names the others, in their order: base64 of the COSE_Sign1 messages.',
  })
  statements!: string[];

  @Text({
    about: 'The note by which the log names the key that this server cosigns other logs with; null where it has none.',
    nullable: true,
  })
  witness!: string | null;

  @TextList({ about: 'The receipts that began the epochs of the log, oldest first: base64.' })
  epochs!: string[];

  @TextList({ about: 'Inclusion proof of the last of them as leaf 0, each `sha256:<hex>`.' })
  epoch_path!: string[];
}

/** A cosignature that a peer made of a head of this server's log. */
export class HandedCosignature {
  @Text({ about: 'The checkpoint, with the line of the peer: a signed note.', max: MAX_NOTE })
  checkpoint!: string;

  @Text({ about: "The note by which the peer's own log names the key that made the line.", max: MAX_NOTE })
  witness!: string;

  @TextList({
    about: "The receipts by which the peer's first key names its others: base64.",
    max: MAX_STATEMENT,
    maxItems: MAX_STATEMENTS,
  })
  statements!: string[];
}

export class CosignatureTaken {
  @Text({ about: 'The name of the witness whose line was taken.' })
  witness!: string;

  @Integer({ about: 'Leaves of the head that it signed.' })
  size!: number;
}
