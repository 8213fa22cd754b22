import { BLAKE3_DIGEST } from '../../../evidence/digest-forms.js';
import { SigningKeySet } from '../../../common/evidence-log/signing-keys.dto.js';
import { Integer, ListOf, Nested, Text, TextList } from '../../../common/fields/fields.js';

export class InclusionQuery {
  @Text({
    about:
      'BLAKE3 of the record: of the COSE_Sign1 message of an execution receipt, of the CBOR of a retrieval receipt.',
    optional: true,
    pattern: BLAKE3_DIGEST,
  })
  record?: string;

  @Integer({ about: 'Index of the leaf, instead of record.', optional: true, min: 0 })
  leaf?: number;

  @Integer({ about: 'Size of the tree to prove inclusion in; the current size unless given.', optional: true, min: 1 })
  size?: number;
}

export class InclusionProof {
  @Integer({ about: 'Index of the leaf, from 0.' })
  leaf_index!: number;

  @Integer({ about: 'Size of the tree that the path leads to the root of.' })
  tree_size!: number;

  @TextList({ about: 'Audit path of RFC 6962 section 2.1.1, from the leaf upwards, each `sha256:<hex>`.' })
  path!: string[];

  @Text({ about: 'The current checkpoint, a signed note; its root is the one of tree_size unless size was given.' })
  checkpoint!: string;
}

export class ConsistencyQuery {
  @Integer({ about: 'Size of the older tree.', min: 0 })
  from!: number;

  @Integer({ about: 'Size of the newer tree; the current size unless given.', optional: true, min: 0 })
  to?: number;
}

export class ConsistencyProof {
  @Integer({ about: 'Size of the older tree.' })
  from!: number;

  @Integer({ about: 'Size of the newer tree.' })
  to!: number;

  @TextList({ about: 'Consistency proof of RFC 6962 section 2.1.2, each `sha256:<hex>`.' })
  path!: string[];

  @Text({ about: 'The current checkpoint, a signed note.' })
  checkpoint!: string;
}

export class LogEpoch {
  @Integer({ about: 'Number of the epoch: the first, and one more for each restore.' })
  epoch!: number;

  @Text({ about: 'Origin line of its checkpoints.' })
  origin!: string;

  @Text({ about: 'Origin of the epoch that it follows; null of the first.', nullable: true })
  previous_origin!: string | null;

  @Text({
    about: 'The receipt that is its leaf 0, base64 of the COSE_Sign1 message; null of an older log.',
    nullable: true,
  })
  record!: string | null;

  @Text({ about: 'Its newest checkpoint that this server knows.' })
  checkpoint!: string;
}

export class LogEpochs {
  @ListOf({ about: 'Oldest first; none of a log that began before epochs were recorded.', type: () => LogEpoch })
  epochs!: LogEpoch[];
}

export class LogIdentity {
  @Text({ about: 'Origin line of the checkpoints.' })
  origin!: string;

  @TextList({ about: 'The keys below as C2SP note verifier keys, for tools that read checkpoints.' })
  verifier_keys!: string[];
}

export class SigningKeys extends SigningKeySet {
  @Nested({ about: 'Whose checkpoints they sign.', type: () => LogIdentity })
  log!: LogIdentity;
}
