import { Console } from 'node:console';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { onStopSignal } from '../apps/supervisor/stop-signal.js';
import { loadSettings, type Settings } from '../common/config/settings.js';
import { withConnection, type DatabaseAddress } from '../common/database/connection.js';
import { findDatabase } from '../common/database/open.js';
import { acceptNewerSchema } from '../common/database/schema-version.js';
import { makeLog } from '../common/observability/log.js';
import { Metrics } from '../common/observability/metrics.js';
import { fail, UserError } from './output.js';

/** In addition to the drain, closing connections takes a moment. */
const CLOSING_MS = 5_000;

/** `svc stdio`: the tool service for the one program that holds the other end of the pipe (tenant-api.md 4.11). */
export const stdioCommand = (): Command =>
  new Command('stdio')
    .description('answer JSON-RPC on standard input and output, a payload a line, and MCP clients; svc must be running')
    .action(async () => {
      // Whatever a failed start left open must not keep the process.
      process.exit(await runStdio().catch((error: unknown) => fail(error, false)));
    });

/**
 * Answers until the input ends, or SIGTERM or SIGINT; then finishes the calls in flight, for at most
 * SVC_SHUTDOWN_DRAIN_SECS.
 * @returns the exit code: 0 when everything was answered
 */
async function runStdio(): Promise<number> {
  // stdout is the protocol's alone, whatever a library prints.
  globalThis.console = new Console(process.stderr, process.stderr);
  const settings = loadSettings();
  const credential = { tenantId: settings.tools.stdioTenantId, apiKey: apiKeyOf(settings) };
  const address = addressOf(settings);
  await checkSchema(settings, address);
  const parts = {
    settings,
    address,
    log: makeLog(settings, 'stdio', true),
    metrics: new Metrics(),
  };
  const stop = onStopSignal();
  const { openOnPipe } = await import('../apps/tools.app.js');
  const { app, transport } = await openOnPipe(parts, { input: process.stdin, output: process.stdout, credential });
  const ended = transport.run().then(() => app.close());
  const late = stop.requested.then(() => {
    transport.stop();
    return sleep(settings.process.drainSeconds * 1000 + CLOSING_MS, false);
  });
  const isComplete = await Promise.race([ended.then(() => true), late]);
  return isComplete ? 0 : 1;
}

/** @throws UserError when the schema does not take this program */
const checkSchema = (settings: Settings, address: DatabaseAddress): Promise<string | undefined> =>
  withConnection(
    address,
    'svc_app',
    (client) => acceptNewerSchema(async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows),
    { settings },
  );

function apiKeyOf({ tools }: Settings): string {
  if (tools.stdioApiKey !== undefined) return tools.stdioApiKey;
  throw new UserError(
    'MCP_STDIO_API_KEY is not set. Give it an API key of the tenant that MCP_STDIO_TENANT_ID names (default: default).',
  );
}

function addressOf(settings: Settings): DatabaseAddress {
  const address = findDatabase(settings);
  if (address) return address;
  throw new UserError(
    `svc is not running for the data directory ${settings.process.dataDir}: start it first ("svc start"), or set SVC_DATA_DIR or SVC_DATABASE_URL as it has them.`,
  );
}
