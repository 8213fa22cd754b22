import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';

/** Ends all peers of the open unit of work's tenant, each with a receipt; a rehearsal none. @returns their ids */
type EndPeers = (by: Actor, isRehearsal: boolean) => Promise<string[]>;

/** How an offboarding ends the peers of a tenant without depending on their module, which depends on this one. */
@Injectable()
export class PeerEnds {
  private end: EndPeers | undefined;

  /** Called once, when the module of peers starts. */
  answerBy(end: EndPeers): void {
    this.end = end;
  }

  endAll(by: Actor, isRehearsal: boolean): Promise<string[]> {
    if (!this.end) throw new Error('no module of peers is there to end them');
    return this.end(by, isRehearsal);
  }
}
