import { memoryShareMib } from './memory-share.js';
import { choice, hostNames, integer, optionalInteger, setting, textOr, url } from './setting.js';

/** What every process reads, a group of the table in settings.ts. */
export const PROCESS_SETTINGS = {
  nodeEnv: setting(
    'NODE_ENV',
    textOr('development'),
    'With `production` no secret is generated: a missing one stops the start.',
  ),
  dataDir: setting(
    'SVC_DATA_DIR',
    textOr('./.svc'),
    'Directory for the embedded database, the signing keys and credentials.json.',
  ),
  logLevel: setting(
    'SVC_LOG_LEVEL',
    choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    'Least level that is logged (JSON lines on stdout).',
  ),
  shutdownDelaySeconds: setting(
    'SVC_SHUTDOWN_DELAY_SECS',
    optionalInteger(0, 300),
    'How long a stopping process goes on answering before it closes its ports, in seconds: /readyz is 503 and answers carry `connection: close`, so that balancers and clients turn elsewhere.',
    { shownDefault: '`5` with NODE_ENV=production, else `0`' },
  ),
  drainSeconds: setting(
    'SVC_SHUTDOWN_DRAIN_SECS',
    integer(30, 0, 600),
    'How long a stopping process waits for requests in flight and jobs in progress, in seconds.',
  ),
  maxInflightBodyMib: setting(
    'SVC_MAX_INFLIGHT_BODY_MIB',
    integer(256, 1, 65_536),
    'Request bodies a process holds at once, in MiB; a request whose body passes it is answered 503. No less than the largest body by SVC_MAX_BODY_BYTES, SVC_MAX_FILE_MIB (and 1 MiB for its form), SVC_TOOLS_MAX_BODY_BYTES and SVCD_MAX_REQUEST_BODY_BYTES; routes with larger bounds of their own take no more than this.',
  ),
  cacheMib: setting(
    'SVC_CACHE_MIB',
    integer(memoryShareMib(1 / 16, 256, 1024), 1, 1_048_576),
    'Memory that all caches of a process hold at once, in MiB: index, vectors, contexts. What does not fit is read from the database again.',
    { shownDefault: 'a sixteenth of the memory, 256 to 1024' },
  ),
  publicUrl: setting(
    'SVC_PUBLIC_URL',
    url('http', 'https'),
    'The address under which clients reach the API, for links in answers.',
    { shownDefault: 'the bind address' },
  ),
  consoleUrl: setting(
    'SVC_CONSOLE_URL',
    url('http', 'https'),
    'The address under which people open the console, for links in messages.',
    { shownDefault: '/console at the bind address of the daemon' },
  ),
  allowedHosts: setting(
    'SVC_ALLOWED_HOSTS',
    hostNames(),
    'Further host names of this server, separated by commas. Every listener that is bound to loopback answers to them, to those of loopback, SVC_PUBLIC_URL, SVC_TOOLS_PUBLIC_URL and SVC_API_URL, and to no other. If set, it applies to listeners bound to other addresses too.',
  ),
};
