import { Inject, Injectable } from '@nestjs/common';
import type { SigningKey } from '../../evidence/signing-key.js';
import { draftWitnessStatement } from '../../evidence/witness-statement.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { KeyRing } from './key-ring.js';
import { findWitnessSecret, type OwnWitness, witnessOf } from './witness-key-file.js';

/** The witness that this server is for the logs of others, and the note by which its own log vouches for it. */
@Injectable()
export class WitnessKeys {
  private secret: SigningKey | undefined;
  private last: { origin: string; witness: OwnWitness } | undefined;
  private stated: { by: string; note: string } | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly keys: KeyRing,
  ) {}

  /**
   * @param origin of this server's own log
   * @returns undefined where the server has no such key
   * @throws SettingsInvalid for a file that cannot be used
   */
  find(origin: string): OwnWitness | undefined {
    if (this.last?.origin === origin) return this.last.witness;
    this.secret ??= findWitnessSecret(this.settings);
    if (!this.secret) return undefined;
    this.last = { origin, witness: witnessOf(this.secret, origin) };
    return this.last.witness;
  }

  /** The note by which the keys of the log name the witness. @throws ServiceUnavailable where they do not sign */
  async state(origin: string): Promise<string | null> {
    const witness = this.find(origin);
    if (!witness) return null;
    const signers = this.keys.logSigners;
    const by = [witness.verifierKey, ...signers.map(({ kid }) => kid)].join(' ');
    if (this.stated?.by !== by) {
      const draft = draftWitnessStatement(origin, witness.verifierKey);
      const lines = signers.map(async (key) => {
        const [signature] = await key.signAll([draft.toBeSigned], 'log');
        return [key.publicKey, signature!] as const;
      });
      this.stated = { by, note: draft.with(await Promise.all(lines)) };
    }
    return this.stated.note;
  }
}
