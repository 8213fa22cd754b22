import { DateTime, Flag, FreeObject, Integer, Nested, Text } from '../../../common/fields/fields.js';
import { ProofEnvelope } from './proofs.dto.js';

export class AnswerPath {
  @Text({ about: 'The answerId under which citations were recorded.', min: 1, max: 512 })
  answerId!: string;
}

export class ReceiptPath {
  @Text({ about: 'The receiptId of an execution receipt.', min: 1, max: 512 })
  receiptId!: string;
}

export class PackQuery {
  @Text({
    about:
      'A checkpoint of the log kept from before, base64url of its text: the pack then proves that its own extends it.',
    optional: true,
    min: 1,
    max: 4000,
  })
  earlier_checkpoint?: string;
}

export class ProofLogEntry {
  @Integer({ about: 'Leaf of the receipt, from 0.', min: 0 })
  leafIndex!: number;

  @Integer({ about: 'Leaves under the checkpoint.', min: 1 })
  treeSize!: number;

  @Text({ about: 'Signed checkpoint of the log (C2SP tlog-checkpoint).' })
  checkpoint!: string;
}

export class ProofReceiptLinks {
  @Text({ about: 'The proof pack with this receipt.' })
  proofpack!: string;
}

export class ProofReceipt extends ProofEnvelope {
  @Text({ about: 'The receipt.' })
  receiptId!: string;

  @Text({ about: 'What happened.', example: 'proof.completed' })
  kind!: string;

  @Text({ about: 'What it is about: the job, or the answer.' })
  subject!: string;

  @DateTime({ about: 'When it happened.' })
  occurredAt!: string;

  @Text({ about: 'The principal that acted.' })
  actor!: string;

  @Text({ about: 'How that principal was authenticated.' })
  authMode!: string;

  @Text({ about: "Chain within the tenant's receipts." })
  stream!: string;

  @Integer({ about: 'Place in the chain, from 1.', min: 1 })
  seq!: number;

  @Text({ about: 'Digest of the receipt before it; null for the first.', nullable: true })
  prev!: string | null;

  @Text({ about: 'Digest of body.' })
  bodyHash!: string;

  @FreeObject({ about: 'The facts that were signed.' })
  body!: Record<string, unknown>;

  @Text({ about: 'The receipt itself: COSE_Sign1 (RFC 9052) in base64. See docs/formats.' })
  cose!: string;

  @Nested({
    about: 'Its entry in the transparency log; null when the log has not integrated it yet.',
    nullable: true,
    type: () => ProofLogEntry,
  })
  log!: ProofLogEntry | null;

  @Nested({ about: 'Where to read on.', type: () => ProofReceiptLinks })
  links!: ProofReceiptLinks;
}

/** The members that a reader looks at; docs/formats/proof-pack.md has all of them. */
export class ProofPackFile {
  @Flag({ about: 'Constant true: a pack is made of what holds; verifying it is what proves it.' })
  ok!: boolean;

  @Text({ about: 'Version of the file format.', example: 'svc-proofpack-v3' })
  format!: string;

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @DateTime({ about: 'When the pack was made.' })
  made_at!: string;

  @FreeObject({ about: 'What it proves.' })
  subject!: Record<string, unknown>;
}
