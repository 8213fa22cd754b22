import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { SeatsStore } from './seats.store.js';
import type { SeatRow } from './seat.entity.js';
import type { SeatEvent } from './seats.types.js';

/**
 * Keeps what happens to seats: a row of history, an event for those outside, and a signed receipt where access was
 * given, changed or taken.
 */
@Injectable()
export class SeatJournal {
  constructor(
    private readonly store: SeatsStore,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
  ) {}

  /** Last in the unit of work: the receipt keeps others waiting. @param seat as it is now */
  async note(seat: SeatRow, event: SeatEvent): Promise<void> {
    const { actor, authMode: authType, agentSession, formerRole = null, reason = null } = event;
    await this.store.recordEvent(seat, event);
    const { seatId, role } = seat;
    const facts = { role, formerRole, reason };
    const kind = `seat.${event.kind}`;
    // An invitation gives nobody access yet.
    if (event.kind === 'invited' || event.kind === 'sign_in_invited')
      this.outbox.emit({ kind, subject: seatId, data: { seatId, ...facts, actor } });
    else
      await this.audit.record(
        { principal: actor, authType, agentSession },
        { kind, subject: seatId, facts, event: { seatId } },
      );
  }
}
