import { QueryFailedError } from 'typeorm';

/** The SQLSTATE of a statement that failed; undefined of any other error. */
export const sqlStateOf = (error: unknown): string | undefined =>
  error instanceof QueryFailedError ? (error.driverError as { code?: string }).code : undefined;
