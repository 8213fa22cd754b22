import { Injectable } from '@nestjs/common';
import { ServerSecret } from '../sessions/server-secret.js';
import { SignedHeader } from './signed-header.js';

/** The header in which the daemon names, to the API, the client that it passes a request on for. */
export const VOUCHED_ADDRESS_HEADER = 'x-svc-client-address';

/**
 * The client of a request that one process of this server passes on to another, as {@link ClientAddresses.of} gives it:
 * as limits count it.
 */
@Injectable()
export class VouchedAddresses extends SignedHeader<string> {
  constructor(secret: ServerSecret) {
    super(secret, VOUCHED_ADDRESS_HEADER, 'client-address');
  }
}
