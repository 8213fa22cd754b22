import { Injectable, type Type } from '@nestjs/common';
import { readAs } from '../common/fields/contract.pipe.js';
import { Problem } from '../common/problem/problem.js';
import { WatchStateService } from '../modules/continuity/watches/watch-state.service.js';
import { WatchPath, WatchRequest } from '../modules/continuity/watches/watches.dto.js';
import { ProofStateService } from '../modules/knowledge/proofs/proof-state.service.js';
import { ProofRequest } from '../modules/knowledge/proofs/proofs.dto.js';
import type { ToolCaller } from './peer.js';
import type { ApiRequest } from './tools/tool-arguments.js';
import type { Tool } from './tools/tool.js';

/**
 * What a call without a key rests on in addition to its arguments, as it is now (D28): as long as that is the same, a
 * repeat is the same call. Read as the API reads it: in the tenant of the caller, with the defaults of the route.
 */
@Injectable()
export class CallStatesService {
  constructor(
    private readonly proofs: ProofStateService,
    private readonly watches: WatchStateService,
  ) {}

  /** @returns null where the arguments are all there is to it, or where the API will refuse them */
  async read(caller: ToolCaller, { restsOn }: Tool, { params, body = {} }: ApiRequest): Promise<unknown> {
    switch (restsOn) {
      case 'proof_subject': {
        const request = findRequest(ProofRequest, body);
        return request ? this.proofs.read(caller.tenantId, request) : null;
      }
      case 'watch_target': {
        const request = findRequest(WatchRequest, body);
        return request ? this.watches.readEnded(caller, request) : null;
      }
      case 'watch': {
        const path = findRequest(WatchPath, params);
        return path ? this.watches.readFollowing(caller.tenantId, path.id) : null;
      }
      case undefined:
        return null;
    }
  }
}

/** @returns undefined for one that the API will refuse: that is the API's to say */
function findRequest<T extends object>(type: Type<T>, plain: object): T | undefined {
  try {
    return readAs(type, plain, 'body');
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
