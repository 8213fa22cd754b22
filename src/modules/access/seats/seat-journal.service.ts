import { Injectable } from '@nestjs/common';
import { EvidenceService } from '../../../common/evidence-log/evidence.service.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { SeatsStore } from './seats.store.js';
import type { Seat, SeatEvent } from './seats.types.js';

/**
 * Keeps what happens to seats: a row of history, an event for those outside, and a signed receipt where access was
 * given, changed or taken.
 */
@Injectable()
export class SeatJournal {
  constructor(
    private readonly store: SeatsStore,
    private readonly outbox: Outbox,
    private readonly evidence: EvidenceService,
  ) {}

  /** Last in the unit of work: the receipt keeps others waiting. @param seat as it is now */
  async note(seat: Seat, event: SeatEvent): Promise<void> {
    const { kind, actor, authMode, formerRole = null, reason = null } = event;
    await this.store.recordEvent(seat, event);
    const { seat_id: seatId, role } = seat;
    await this.outbox.emit({
      kind: `seat.${kind}`,
      subject: seatId,
      data: { seatId, role, formerRole, actor, reason },
    });
    // An invitation gives nobody access yet.
    if (kind === 'invited' || kind === 'sign_in_invited') return;
    const body = { role, former_role: formerRole, reason };
    await this.evidence.record({ kind: `seat.${kind}`, actor, authMode, subject: seatId, body });
  }
}
