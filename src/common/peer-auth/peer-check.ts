import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Identity } from '../bearer-auth/daemon-caller.js';
import type { PeerRight } from '../contract/contract.js';
import type { ContentDigest } from './content-digest.js';

/** What of the head of a request says who sends it. */
export interface PeerHead {
  readonly method: string;
  /** What the client may have asked for, as far as this server can know: one of them it has signed. */
  readonly targetUris: readonly string[];
  /** The tenant that the address names. */
  readonly tenantId: string;
  readonly header: (name: string) => string | undefined;
  readonly right: PeerRight;
}

/** A peer that may go on, once the digest of its body is known to hold. */
export interface AdmittedPeer {
  readonly identity: Identity;
  readonly reach: NonNullable<FastifyRequest['syncReach']>;
  readonly digest: ContentDigest;
  /** For its next request. */
  readonly nextNonce: string | undefined;
}

type Check = (head: PeerHead) => Promise<AdmittedPeer>;

/**
 * How the guard learns who signed a request, without depending on the module of peers. Until that module answers,
 * nobody is admitted.
 */
@Injectable()
export class PeerCheck {
  private answer: Check = () => Promise.reject(new Error('the module of peers has not started'));

  /** Called once, when the module of peers starts. */
  answerBy(answer: Check): void {
    this.answer = answer;
  }

  /** @throws the problems of peer-problems.ts, MissingScope */
  check(head: PeerHead): Promise<AdmittedPeer> {
    return this.answer(head);
  }
}
