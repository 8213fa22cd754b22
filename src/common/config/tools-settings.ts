import { TOOL_SET_NAMES } from '../contract/tool-sets.js';
import { headerKey, integer, optionalChoice, setting, textOr, url } from './setting.js';

/** The settings of the tool service, a group of the table in settings.ts. */
export const TOOLS_SETTINGS = {
  host: setting('SVC_TOOLS_HOST', textOr('127.0.0.1'), 'Address the tool service binds.'),
  port: setting('SVC_TOOLS_PORT', integer(8091, 0, 65535), 'Port of the tool service; 0 takes a free one.'),
  processes: setting(
    'SVC_TOOLS_PROCESSES',
    integer(1, 1, 64),
    'Processes of the tool service that share the port under `svc start`.',
  ),
  apiUrl: setting(
    'SVC_API_URL',
    url('http', 'https'),
    'Where the tool service and `svc ingest` reach the tenant API.',
    {
      shownDefault: 'the bind address of the API',
    },
  ),
  daemonUrl: setting(
    'SVC_DAEMON_URL',
    url('http', 'https'),
    'Where the tool service reaches the memory daemon: its tools work at both servers.',
    { shownDefault: 'the bind address of the daemon' },
  ),
  publicUrl: setting(
    'SVC_TOOLS_PUBLIC_URL',
    url('http', 'https'),
    'The address under which clients reach the tool service.',
    { shownDefault: 'the bind address' },
  ),
  rateLimit: setting(
    'SVC_TOOLS_RATE_LIMIT',
    integer(120, 0, 1_000_000_000),
    'Tool calls a minute that one principal of a tenant may make, over all processes; 0 sets no limit.',
  ),
  maxBodyBytes: setting(
    'SVC_TOOLS_MAX_BODY_BYTES',
    integer(27 * 1024 * 1024, 1024, 1024 ** 3),
    'Largest request body, and largest line on the pipe of `svc stdio`, in bytes: by default what a document may take as JSON. A line of a stream has at most 1 MiB of it.',
  ),
  apiTimeoutMs: setting(
    'SVC_TOOLS_API_TIMEOUT_MS',
    integer(30_000, 100, 600_000),
    'How long the tenant API may take for one answer, in milliseconds.',
  ),
  apiConnections: setting(
    'SVC_TOOLS_API_CONNECTIONS',
    integer(64, 1, 4096),
    'Connections a process keeps to the tenant API.',
  ),
  natsSubject: setting(
    'SVC_TOOLS_NATS_SUBJECT',
    textOr('svc.tools.rpc'),
    'Subject on which calls are answered when SVC_NATS_URL is set.',
  ),
  stdioApiKey: setting('MCP_STDIO_API_KEY', headerKey(), 'The API key that `svc stdio` calls with; it needs one.', {
    secret: true,
  }),
  stdioTenantId: setting('MCP_STDIO_TENANT_ID', textOr('default'), 'The tenant that `svc stdio` calls for.'),
  stdioToolSet: setting(
    'MCP_STDIO_TOOL_SET',
    optionalChoice(TOOL_SET_NAMES),
    'The set of tools that `svc stdio` shows an MCP client.',
    { shownDefault: 'that of the tenant' },
  ),
};
