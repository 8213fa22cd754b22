import { sqlStateOf } from './sql-state.js';

/** Two units of work take the same rows in another order, as imports and single writes may; the database ends one. */
const DEADLOCK = '40P01';
const ATTEMPTS = 5;

/** Runs a unit of work again where the database ended it for the sake of another. */
export async function againAfterDeadlock<T>(unit: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await unit();
    } catch (error) {
      if (sqlStateOf(error) !== DEADLOCK || attempt === ATTEMPTS) throw error;
    }
  }
}
