import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { VerifyingKey } from '../../evidence/signing-key.js';
import type { PeerScope } from '../../modules/memory/peers/peers.types.js';
import { DelegationsService } from '../../modules/memory/peers/delegations.service.js';
import type { Collection } from '../../modules/memory/sync/sync.types.js';
import { checkTenant } from '../memory/tenant-there.js';
import { asOperator } from '../operator.js';
import { UsageError, UserError } from '../output.js';

export interface Delegated {
  /** Public keys: of who may act, and of the peer that is asked. */
  readonly to: string;
  readonly at: string;
  readonly prefixes: string[];
  readonly collections: Collection[];
  readonly scopes: PeerScope[] | undefined;
  readonly expiresIn: number;
  /** The file of a chain that ends with this daemon. */
  readonly under: string | undefined;
}

/** @throws UserError */
export const delegate = (tenant: string, given: Delegated) =>
  asOperator(async (services) => {
    await checkTenant(services, tenant);
    const [to, at] = [keyOf('--to', given.to), keyOf('--at', given.at)];
    const exp = Math.floor(Date.now() / 1000) + given.expiresIn;
    const terms = {
      ...{ to, aud: at.kid, tenant_id: tenant, exp, jti: randomUUID() },
      ...{ collections: given.collections, entity_prefixes: given.prefixes },
      ...(given.scopes === undefined ? {} : { scopes: given.scopes }),
    };
    const before = given.under === undefined ? undefined : readDelegation(given.under);
    const delegation = await services.get(DelegationsService).give(terms, before);
    return { delegation, to: to.kid, at: at.kid, expires_at: new Date(exp * 1000).toISOString() };
  });

/** Of a file, for `x-svc-delegation`. @throws UserError */
export function readDelegation(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UserError(`The delegation in ${file} cannot be read: ${(error as Error).message}`);
  }
}

function keyOf(option: string, text: string): VerifyingKey {
  try {
    return new VerifyingKey(Buffer.from(text, 'base64url'));
  } catch {
    throw new UsageError(`${option} is no key; "svc peer key" prints that of a daemon`);
  }
}
