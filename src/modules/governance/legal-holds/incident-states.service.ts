import { Injectable } from '@nestjs/common';

/** Of an incident of the open unit of work's tenant: whether it is not closed yet. */
type IsOpen = (incidentId: string) => Promise<boolean>;

/**
 * How holds learn whether the incident that placed them still goes on, without depending on the module of incidents,
 * which places them. Until that module answers, none goes on.
 */
@Injectable()
export class IncidentStates {
  private ask: IsOpen = () => Promise.resolve(false);

  /** Called once, when the module of incidents starts. */
  answerBy(ask: IsOpen): void {
    this.ask = ask;
  }

  isOpen(incidentId: string): Promise<boolean> {
    return this.ask(incidentId);
  }
}
