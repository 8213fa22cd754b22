import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { KeyRing } from '../../../common/evidence-log/key-ring.js';
import { signerOfPeers } from '../../../common/evidence-log/peer-identity.js';
import { DelegationBroken } from '../../../common/problem/peer-problems.js';
import { PEERS } from '../../../evidence/purposes.js';
import { signDraft } from '../../../evidence/signer.js';
import { type DelegationTerms, draftDelegation, readChain } from './delegation.rules.js';

/** Delegations by this daemon: others act at a peer with a part of what that peer opens to it. */
@Injectable()
export class DelegationsService {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly keys: KeyRing,
  ) {}

  /**
   * @param before the chain whose last delegation is to this daemon; undefined where the peer has a row of it
   * @returns the whole chain, as x-svc-delegation takes it
   * @throws DelegationMalformed, DelegationBroken, SettingsInvalid where this machine has no key
   */
  async give(terms: DelegationTerms, before: string | undefined): Promise<string> {
    const signer = signerOfPeers(this.settings, this.keys.peerIdentity);
    const chain = before === undefined ? [] : readChain(before);
    const last = chain.at(-1);
    if (last && last.key.kid !== signer.kid)
      throw new DelegationBroken({}, `The last delegation is to ${last.key.kid}; this daemon is ${signer.kid}`);
    const token = await signDraft(draftDelegation(signer.kid, terms), signer, PEERS);
    const whole = [...chain.map((one) => one.token), token].join(',');
    readChain(whole);
    return whole;
  }
}
