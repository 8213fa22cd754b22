import { Command } from 'commander';
import { ApiClient } from '../common/client/api-client.js';
import { onDemoServer } from './demo/demo-server.js';
import { demoDocuments } from './demo/demo-documents.js';
import { runDemo } from './demo/demo-run.js';
import { ProgressOutput } from './progress-output.js';
import type { OutputOptions } from './output.js';
import type { ServerChoice } from './server-address.js';

interface DemoOptions extends OutputOptions, ServerChoice {
  folder?: string;
  ask?: string[];
  out?: string;
}

/** `svc demo`: the whole job, from documents to a proof that verifies offline, narrated. */
export const demoCommand = (): Command =>
  new Command('demo')
    .description('ingest documents, retrieve, cite, prove, and verify the proof offline: the whole job, narrated')
    .option('--url <url>', 'the server to use; without it the running one of the data directory, else a temporary one')
    .option('--tenant <tenant>', 'the tenant to call it as (default: the one in credentials.json)')
    .option('--api-key <key>', 'its API key (default: the one in credentials.json)')
    .option('--folder <folder>', 'ingest its text, Markdown and HTML files (default: the documentation of svc)')
    .option('--ask <question...>', 'what to ask, in the lanes light, verified and audit in turn')
    .option('--out <file>', 'where the proof pack goes (default: demo-proof-pack.json in the data directory)')
    .option('--json', 'print one JSON object')
    .action(async (options: DemoOptions) => {
      const progress = new ProgressOutput(options.json === true);
      const set = await demoDocuments(options.folder);
      const report = await onDemoServer(options, progress, (server) => {
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
