import { getSystemErrorMessage } from 'node:util';
import { QueryFailedError } from 'typeorm';
import { isDatabaseUnavailable } from '../common/database/unavailable.js';
import { loadSettings } from '../common/config/settings.js';
import { UserError } from '../common/user-error.js';

/** What PostgreSQL says by SQLSTATE (PostgreSQL 18, appendix A) that is for the operator to mend. */
const DATABASE_REMEDIES: [RegExp, string, string][] = [
  [/^28/, 'The database refuses the login', 'Check user and password in SVC_DATABASE_URL.'],
  [/^3D000$/, 'There is no such database', 'Create it, or name another in SVC_DATABASE_URL.'],
  [
    /^42501$/,
    'The database refuses',
    'The user of SVC_DATABASE_URL must own the database and may have to create roles: docs/operations.md, "An external PostgreSQL".',
  ],
  [/^42P01$/, 'The database lacks a table', 'Run "svc migrate"; "svc doctor" says what else is wrong.'],
  [/^25006$/, 'The database is read-only', 'SVC_DATABASE_URL must name the primary, not a standby.'],
];

/** One sentence with the remedy, of a failure that lies outside svc; undefined of any other. */
export function explainFailure(error: unknown): string | undefined {
  if (error instanceof UserError) return error.message;
  // A name with several addresses fails with an error of each.
  if (error instanceof AggregateError) return explainFailure(error.errors[0]);
  if (error instanceof QueryFailedError) return explainFailure(error.driverError);
  if (!(error instanceof Error)) return undefined;
  const { code, errno, path, syscall } = error as NodeJS.ErrnoException;
  if (path !== undefined && errno !== undefined && syscall !== 'connect')
    return `Cannot ${syscall} ${path}: ${getSystemErrorMessage(errno)}.`;
  const [, what, remedy] = DATABASE_REMEDIES.find(([state]) => code !== undefined && state.test(code)) ?? [];
  if (what !== undefined) return `${what}: ${error.message}. ${remedy}`;
  if (isDatabaseUnavailable(error))
    return `The database does not answer: ${error.message || code}. Check that it runs, and SVC_DATABASE_URL.`;
  return undefined;
}

/** Whether the user asked to see everything. */
export function wantsStacks(): boolean {
  try {
    return ['debug', 'trace'].includes(loadSettings().process.logLevel);
  } catch {
    return false;
  }
}
