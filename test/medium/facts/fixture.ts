import type { DaemonCall, TestDaemon } from '../../kit/daemon.js';

export interface Fixture {
  tenant: string;
  ada: DaemonCall;
  bob: DaemonCall;
  admin: DaemonCall;
}

let tenants = 0;
/** Ada, Bob and an admin in a tenant of their own. */
export function fixtureIn(daemon: TestDaemon): Fixture {
  const tenant = `t${++tenants}`;
  const scopes = 'query:read facts:write';
  return {
    tenant,
    ada: daemon.as({ scopes, passport: 'ada', tenant }),
    bob: daemon.as({ scopes, passport: 'bob', tenant }),
    admin: daemon.as({ scopes: 'admin:read admin:write', passport: 'root', tenant }),
  };
}
