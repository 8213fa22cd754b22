import { getSystemErrorMessage } from 'node:util';
import { QueryFailedError } from 'typeorm';
import { isDatabaseUnavailable } from '../common/database/unavailable.js';
import { loadSettings } from '../common/config/settings.js';
import { UserError } from '../common/user-error.js';

const TLS_REMEDY =
  'Add ?sslmode=verify-full&sslrootcert=FILE to SVC_DATABASE_URL, with the certificate of its authority in FILE, and name the host as the certificate does: docs/operations.md, "TLS".';
/** A rule of pg_hba.conf that takes TLS alone is a login that is refused, whatever user and password are. */
const UNENCRYPTED = /^no pg_hba\.conf entry .*no encryption|^pg_hba\.conf rejects connection .*no encryption/;

/** What PostgreSQL says by SQLSTATE (PostgreSQL 18, appendix A) that is for the operator to mend. */
const DATABASE_REMEDIES: [RegExp, string, string][] = [
  [
    // As OpenSSL and Node.js name what they find wrong of a certificate.
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)\w+|CERT_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/,
    'The certificate of the database is not trusted',
    TLS_REMEDY,
  ],
  [/^28/, 'The database refuses the login', 'Check user and password in SVC_DATABASE_URL.'],
  [
    /^53300$/,
    'The database has no connection left',
    'Raise max_connections, or lower SVC_DATABASE_POOL_SIZE of the servers: docs/fleet.md has the sizes.',
  ],
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
  if (code === '28000' && UNENCRYPTED.test(error.message))
    return `The database takes no connection without TLS: ${error.message}. ${TLS_REMEDY}`;
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
