import { describe, expect, it } from 'vitest';
import { explainFailure } from './failure.js';

const failed = (message: string, code: string) => Object.assign(new Error(message), { code });

describe('explainFailure', () => {
  it.each([
    ['self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN'],
    ['unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['unable to get local issuer certificate', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
    ["Hostname/IP does not match certificate's altnames", 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['certificate has expired', 'CERT_HAS_EXPIRED'],
  ])('says of a certificate that is not trusted how it is named: %s', (message, code) => {
    expect(explainFailure(failed(message, code))).toMatch(
      /^The certificate of the database is not trusted: .*sslmode=verify-full&sslrootcert=FILE/,
    );
  });

  it('says of a server that takes TLS alone that TLS is missing, and of a wrong password what is wrong', () => {
    for (const why of [
      'pg_hba.conf rejects connection for host "127.0.0.1", user "svc", database "svc", no encryption',
      'no pg_hba.conf entry for host "127.0.0.1", user "svc", database "svc", no encryption',
    ])
      expect(explainFailure(failed(why, '28000'))).toMatch(/^The database takes no connection without TLS: .*sslmode/);
    expect(explainFailure(failed('password authentication failed for user "svc"', '28P01'))).toMatch(
      /^The database refuses the login: .*Check user and password/,
    );
    expect(explainFailure(failed('sorry, too many clients already', '53300'))).toMatch(
      /^The database has no connection left: .*max_connections/,
    );
  });
});
