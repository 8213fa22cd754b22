import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Identity } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { KeyRing } from '../../../common/evidence-log/key-ring.js';
import type { ContentDigest } from '../../../common/peer-auth/content-digest.js';
import { type AdmittedPeer, PeerCheck, type PeerHead } from '../../../common/peer-auth/peer-check.js';
import { coveredBy } from '../../../common/peer-auth/peer-request.js';
import { type RequestSignature, signatureBase } from '../../../common/peer-auth/request-signature.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import {
  DelegationNotEnforced,
  NonceExpired,
  NonceReplayed,
  NonceUnknown,
  PeerRevoked,
  PeerUnknown,
  PeerWithoutPrefixes,
  SignatureInvalid,
} from '../../../common/problem/peer-problems.js';
import type { VerifyingKey } from '../../../evidence/signing-key.js';
import { NonceService } from '../../operations/system/nonce.service.js';
import { type Delegation, followChain, readChain } from './delegation.rules.js';
import { checkTimes, type Fields, readHead } from './handshake.rules.js';
import { checkRight, reachOf } from './peer-rights.rules.js';
import type { PeerRights } from './peers.types.js';
import { type KnownPeer, PeersStore } from './peers.store.js';

/** Who signed a request, by whose row, with what is left of its rights. */
interface Admission {
  readonly peer: KnownPeer;
  readonly rights: PeerRights;
  /** Of a delegation: the thumbprint of who acts. */
  readonly delegate: string | undefined;
}

/**
 * The handshake of peers: an HTTP Message Signature over the head of a request, with a nonce of this server
 * (docs/formats/peer-requests.md). The nonce is spent by whoever is a peer, and by nobody else (0452).
 */
@Injectable()
export class HandshakeService implements OnModuleInit {
  private readonly takesDelegations: boolean;

  constructor(
    private readonly check: PeerCheck,
    private readonly peers: PeersStore,
    private readonly nonces: NonceService,
    private readonly keys: KeyRing,
    @Inject(SETTINGS) { sync }: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.takesDelegations = sync.delegationEnforce;
  }

  onModuleInit(): void {
    this.check.answerBy((head) => this.admit(head));
  }

  /** @throws the problems of peer-problems.ts, MissingScope */
  private async admit(head: PeerHead): Promise<AdmittedPeer> {
    const { signature, fields, digest } = readHead(head);
    const { peer, rights, delegate } = await this.authenticate(head, signature, fields);
    await this.spend(fields.nonce);
    const reach = reachOf(peer.peerId, rights, peer.direction);
    checkRight(head.right, reach, rights, peer.direction);
    return {
      identity: identityOf(head.tenantId, peer.peerId, rights, delegate),
      ...{ reach, digest: digest satisfies ContentDigest, nextNonce: (await this.nonces.issue()).nonce },
    };
  }

  private async authenticate(
    { method, targetUris, tenantId }: PeerHead,
    signature: RequestSignature,
    fields: Fields,
  ): Promise<Admission> {
    const chain = this.chainIn(fields);
    const first = chain[0]?.claims.iss ?? signature.keyid;
    const kids = [...new Set([signature.keyid, ...chain.flatMap(({ claims }) => [claims.iss, claims.sub])])];
    const known = await this.peers.findByKeys(tenantId, kids);
    const peer = known.get(first);
    if (!peer) throw unknownPeer(first);
    const key = chain.at(-1)?.key ?? peer.key;
    const isSigned = targetUris.some((targetUri) => holds(signature, key, { method, targetUri, ...fields }));
    if (!isSigned || key.kid !== signature.keyid) throw unsigned(targetUris);
    checkTimes(signature, Date.now() / 1000);
    checkRows(peer, [...known.values()]);
    if (chain.length === 0) return { peer, rights: peer.rights, delegate: undefined };
    return { peer, rights: await this.rightsLeft(peer, chain, tenantId, signature.keyid), delegate: signature.keyid };
  }

  /** @throws NonceUnknown, NonceExpired, NonceReplayed */
  private async spend(nonce: string): Promise<void> {
    const state = await this.nonces.spend(nonce);
    if (state === 'unknown') throw new NonceUnknown({}, `x-svc-sync-nonce is no nonce that this server gave. ${ASK}`);
    if (state === 'expired') throw new NonceExpired({}, `x-svc-sync-nonce is more than 120 s old. ${ASK}`);
    if (state === 'spent') throw new NonceReplayed({}, `x-svc-sync-nonce was used before, and each works once. ${ASK}`);
  }

  /** At the end of a chain. */
  private async rightsLeft(
    root: KnownPeer,
    chain: readonly Delegation[],
    tenantId: string,
    signer: string,
  ): Promise<PeerRights> {
    const audience = this.keys.peerIdentity?.publicKey.kid;
    const rights = await followChain(chain, { root, audience, tenantId, signer, now: Date.now() / 1000 });
    this.log.info({ tenant: tenantId, peer: root.peerId, chain: chain.map(idsOf) }, 'a delegate of a peer calls');
    return rights;
  }

  /** @throws DelegationNotEnforced, DelegationMalformed */
  private chainIn({ delegation }: Fields): Delegation[] {
    if (delegation === undefined) return [];
    if (this.takesDelegations) return readChain(delegation);
    throw new DelegationNotEnforced(
      {},
      'This daemon does not verify delegations, so that it takes none; start it with SVCD_SYNC_DELEGATION_ENFORCE=1',
    );
  }
}

const holds = (
  { parameters, components, signature }: RequestSignature,
  key: VerifyingKey,
  request: Parameters<typeof coveredBy>[0],
): boolean => {
  const values = new Map(coveredBy(request));
  const covered = components.map((name) => [name, values.get(name)!] as const);
  return key.verify(Buffer.from(signatureBase(covered, parameters), 'latin1'), signature);
};

/**
 * Of a chain every key that was revoked here ends it.
 * @throws PeerRevoked, PeerWithoutPrefixes
 */
function checkRows(peer: KnownPeer, all: readonly KnownPeer[]): void {
  const revoked = all.find(({ isRevoked }) => isRevoked);
  if (revoked) throw new PeerRevoked({ peer_id: revoked.peerId }, `The peer ${revoked.peerId} was revoked here`);
  if (peer.rights.prefixes.length === 0) throw withoutPrefixes(peer);
}

const ASK = 'POST /v1/sync/handshake/nonce gives one';

const unknownPeer = (keyid: string): PeerUnknown =>
  new PeerUnknown(
    { keyid },
    `No peer of this tenant has the key ${keyid}. An operator of this daemon adds it with "svc peer add" or POST /v1/sync/peers`,
  );

const unsigned = (targetUris: readonly string[]): SignatureInvalid =>
  new SignatureInvalid(
    {},
    `The signature is not by the key of keyid over this request. @target-uri here is ${targetUris.join(' or ') || 'not known: send Host'}`,
  );

const withoutPrefixes = ({ peerId }: KnownPeer): PeerWithoutPrefixes =>
  new PeerWithoutPrefixes(
    { peer_id: peerId },
    `The peer ${peerId} has no entity_prefixes: revoke it and add it with some`,
  );

const idsOf = ({ claims }: Delegation) => ({ iss: claims.iss, sub: claims.sub, jti: claims.jti });

const identityOf = (tenantId: string, peerId: string, rights: PeerRights, delegate: string | undefined): Identity => ({
  authType: 'peer',
  scopes: rights.scopes,
  passport: undefined,
  principal: delegate === undefined ? `peer:${peerId}` : `peer:${peerId}/${delegate}`,
  tenants: [tenantId],
  selectedTenant: undefined,
});
