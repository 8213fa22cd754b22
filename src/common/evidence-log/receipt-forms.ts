import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { blake3 } from '../../evidence/digest.js';
import { draftCoseReceipt } from '../../evidence/forms/cose-receipt.js';
import type { LoggedRecord } from '../../evidence/forms/logged-record.js';
import { draftReceiptBundle } from '../../evidence/forms/sigstore-bundle.js';
import { draftStatement } from '../../evidence/forms/signed-statement.js';
import { signDraft, type Signer } from '../../evidence/signer.js';
import { writeTlogProof } from '../../evidence/forms/tlog-proof.js';
import { AlgorithmAbsent } from './evidence-log.problems.js';
import type { StoredRecord } from './evidence-records.js';
import { KeyRing } from './key-ring.js';
import { LogProofs, notLogged } from './log-proofs.js';
import { LogSequencer } from './log-sequencer.js';

/** The standard forms of a record by their names, with the media types that ask for them. */
export const FORM_TYPES = {
  'tlog-proof': 'application/vnd.c2sp.tlog-proof',
  'cose-receipt': 'application/scitt-receipt+cose',
  statement: 'application/scitt-statement+cose',
  sigstore: 'application/vnd.dev.sigstore.bundle.v0.3+json',
} as const;
export type ReceiptForm = keyof typeof FORM_TYPES;
export const RECEIPT_FORMS = Object.keys(FORM_TYPES) as ReceiptForm[];
/** Asks for a COSE receipt by the key on P-256. */
export const ES256_RECEIPT_TYPE = `${FORM_TYPES['cose-receipt']}; profile=es256` as const;
export const FORM_ALGORITHMS = ['eddsa', 'es256'] as const;
export type FormAlgorithm = (typeof FORM_ALGORITHMS)[number];

/** Makes the standard forms of stored records, when they are asked for. docs/formats/standard-forms.md. */
@Injectable()
export class ReceiptForms {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly sequencer: LogSequencer,
    private readonly proofs: LogProofs,
    private readonly keys: KeyRing,
  ) {}

  /**
   * Brings the log up to date first.
   * @param algorithm of a COSE receipt alone
   * @throws ReceiptNotLogged; AlgorithmAbsent; CborError for a record that cannot be read
   */
  async make(stored: StoredRecord, form: ReceiptForm, algorithm: FormAlgorithm = 'eddsa'): Promise<Uint8Array> {
    const es256 = algorithm === 'es256' ? await this.keys.findEs256() : undefined;
    if (algorithm === 'es256' && !es256) throw algorithmAbsent();
    await this.sequencer.integrate();
    const logged = await this.find(stored);
    const [logKey] = this.keys.logSigners;
    const key = this.keys.active;
    const { evidenceBase: base } = this.settings.evidence;
    switch (form) {
      case 'tlog-proof':
        return writeTlogProof(logged);
      case 'cose-receipt':
        return coseReceipt(logged, es256 ?? logKey);
      case 'statement': {
        const parts = { issuer: base, receipts: [await coseReceipt(logged, logKey)], key };
        return signDraft(draftStatement(logged, parts), key, 'receipts');
      }
      case 'sigstore':
        return signDraft(draftReceiptBundle(logged, { base, key }), key, 'receipts');
    }
  }

  private async find({ receiptId, family, record }: StoredRecord): Promise<LoggedRecord> {
    const { head, positions } = await this.proofs.prove([{ receiptId, digest: blake3(record) }]);
    const [position] = positions;
    if (!position) throw notLogged(receiptId);
    return { ...position, type: family, record: Uint8Array.from(record), checkpoint: head.checkpoint };
  }
}

const coseReceipt = (logged: LoggedRecord, key: Signer): Promise<Uint8Array> =>
  signDraft(draftCoseReceipt(logged, key), key, 'log');

const algorithmAbsent = (): AlgorithmAbsent =>
  new AlgorithmAbsent(
    {},
    'This server has no key on P-256 for ES256; its operator makes one: svc key add-es256. Or leave profile=es256 out.',
  );
