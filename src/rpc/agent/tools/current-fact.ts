import { idOf } from '../agent-ids.rules.js';
import { RouteRefusal } from '../servers.js';

/** A change of a fact; refused for an older version, the refusal names the one that holds, as tools take it. */
export async function namingCurrentFact<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    const current =
      error instanceof RouteRefusal && error.status === 409 ? error.problem['current_fact_id'] : undefined;
    if (!(error instanceof RouteRefusal) || typeof current !== 'string') throw error;
    const detail = `another version holds: ${idOf('fact', current)}. Read it, then send its id if that is the one you mean`;
    throw new RouteRefusal(error.server, error.address, error.status, { ...error.problem, detail });
  }
}
