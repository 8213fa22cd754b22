import { Command, Option } from 'commander';
import { ApiClient } from '../common/client/api-client.js';
import { onDemoServer } from './demo/demo-server.js';
import { demoDocuments } from './demo/demo-documents.js';
import { runDemo } from './demo/demo-run.js';
import { ProgressOutput } from './progress-output.js';
import type { OutputOptions } from './output.js';
import { readAddress, readApiKey, readTenant, type ServerOptions } from './server-address.js';

interface DemoOptions extends OutputOptions, ServerOptions {
  url?: string;
  folder?: string;
  ask?: string[];
  out?: string;
}

/** `svc demo`: the whole job, from documents to a proof that verifies offline, narrated. */
export const demoCommand = (): Command =>
  new Command('demo')
    .description('ingest documents, retrieve, cite, prove, and verify the proof offline: the whole job, narrated')
    .option(
      '--api <url>',
      'the server to use; without it the running one of the data directory, else a temporary one',
      readAddress,
    )
    .addOption(new Option('--url <url>', 'what --api was called').argParser(readAddress).hideHelp())
    .option('--tenant <tenant>', 'the tenant to call it as (default: the one in credentials.json)', readTenant)
    .option('--api-key <key>', 'its API key (default: the one in credentials.json)', readApiKey)
    .option('--folder <folder>', 'ingest its text, Markdown and HTML files (default: the documentation of svc)')
    .option('--ask <question...>', 'what to ask, in the lanes light, verified and audit in turn')
    .option('--out <file>', 'where the proof pack goes (default: demo-proof-pack.json in the data directory)')
    .option('--json', 'print one JSON object')
    .action(async (options: DemoOptions) => {
      const progress = new ProgressOutput(options.json === true);
      const set = await demoDocuments(options.folder);
      const { api: url = options.url, tenant, apiKey } = options;
      const report = await onDemoServer({ url, tenant, apiKey }, progress, (server) => {
        const { documents, leftOut, questions } = set;
        const out = options.out ?? server.packFile;
        return runDemo({
          client: new ApiClient(server),
          progress,
          documents,
          leftOut,
          questions: options.ask ?? questions,
          out,
        });
      });
      progress.result(report);
      process.exitCode = report.ok ? 0 : 1;
    });
