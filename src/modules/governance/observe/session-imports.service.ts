import { Injectable } from '@nestjs/common';
import type { ImportedSession } from './observe.types.js';
import { SessionImportsStore } from './session-imports.store.js';

/** Observed sessions supplied by another module, in its unit of work. A session that is there stays as it is. */
@Injectable()
export class SessionImportsService {
  constructor(private readonly store: SessionImportsStore) {}

  /** @returns how many were not there */
  async storeAll(sessions: readonly ImportedSession[]): Promise<number> {
    if (sessions.length === 0) return 0;
    const added = await this.store.addSessions(sessions);
    const fresh = sessions.filter(({ session_id }) => added.has(session_id));
    const drawn = await this.store.drawPlaces(fresh.reduce((count, { steps }) => count + steps.length, 0));
    const steps = fresh.flatMap(({ session_id, steps: own }) => {
      const places = new Map<string, number[]>();
      return own.map((step) => {
        const place = [...(step.parent_id === null ? [] : places.get(step.parent_id)!), drawn.shift()!];
        places.set(step.node_id, place);
        return { ...step, session_id, place };
      });
    });
    if (steps.length > 0) await this.store.addSteps(steps);
    return added.size;
  }
}
