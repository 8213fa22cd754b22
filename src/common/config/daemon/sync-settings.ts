import { flag, integer, optionalTime, setting, url } from '../setting.js';
import { switchSetting } from './flag.js';

/** How memory is synchronised with other daemons (memory-daemon.md 4.7; D50, D51). */
export const SYNC_SETTINGS = {
  mutualAuth: switchSetting(
    'SVCD_SYNC_MUTUAL_AUTH',
    false,
    'The routes under /v1/sync/tenants/ take requests that a peer has signed, and no others. Off: those of callers with the scopes.',
  ),
  delegationEnforce: switchSetting(
    'SVCD_SYNC_DELEGATION_ENFORCE',
    false,
    'Delegations of peers are verified. Off: requests that bring one are refused.',
  ),
  publicUrl: setting(
    'SVCD_SYNC_PUBLIC_URL',
    url('http', 'https'),
    'The address under which peers reach this daemon, where a proxy in front changes the host or the path: what they sign begins with it.',
    { shownDefault: 'the Host header of the request' },
  ),
  allowPrivatePeers: setting(
    'SVCD_SYNC_ALLOW_PRIVATE_PEERS',
    flag(false),
    'With NODE_ENV=production, too, peers may be at loopback and private addresses.',
  ),
  allowHttp: setting(
    'SVCD_SYNC_ALLOW_HTTP',
    flag(false),
    'Peers that are not on this machine may have an address that begins with http://. What is synchronised crosses the network in the clear then.',
  ),
  everySec: setting(
    'SVCD_SYNC_EVERY',
    optionalTime(),
    'How often the daemon exchanges memory with each peer that has an address, by its direction, such as 5m. Unset: only `svc sync` does.',
  ),
  timeoutMs: setting(
    'SVCD_SYNC_TIMEOUT_MS',
    integer(30_000, 100, 600_000),
    'How long a peer may take for one answer, in milliseconds.',
  ),
};
