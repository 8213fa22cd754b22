import { Injectable } from '@nestjs/common';

/**
 * Of an incident of the open unit of work's tenant: whether it is not closed yet. A closed one stays so until the unit
 * ends.
 */
type IsOpen = (incidentId: string) => Promise<boolean>;

/**
 * How holds learn whether the incident that placed them still goes on, without depending on the module of incidents,
 * which places them.
 */
@Injectable()
export class IncidentStates {
  /** Nobody says that it has been closed. */
  private ask: IsOpen = () => Promise.resolve(true);

  /** Called once, when the module of incidents starts. */
  answerBy(ask: IsOpen): void {
    this.ask = ask;
  }

  isOpen(incidentId: string): Promise<boolean> {
    return this.ask(incidentId);
  }
}
