import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { anotherKey, expectStatus } from '../../medium/shield/given.js';
import { startConformanceProxy, type ConformanceProxy } from './conformance-proxy.js';

const RUNNER = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');

/**
 * Whether a scenario passes, without failure or warning; if not, why it cannot apply; or which of its checks cannot,
 * and why.
 */
type Expected = 'passes' | { cannot: string } | { but: Record<string, string> };

const cannot = (why: string): Expected => ({ cannot: why });
const OWN_PROMPT = cannot('it asks for a prompt of its own');
const OWN_RESOURCE = cannot('it reads a resource of its own');
const NO_UPDATES = cannot('served without sessions, so that nobody could be sent an update; a client reads again');
const NO_COMPLETIONS = cannot('completions are not offered, and not declared');
const TEXT_ALONE = cannot('the tools answer JSON, as structured content and text; none answers this kind of content');
const NO_PROGRESS = cannot('the tools answer within seconds and report no progress');
const OWN_FORM = cannot('it looks for the text of its own form; the one thing a tool of ours asks for is an approval');
const NOT_ASKED = cannot('tools ask for approvals alone, never for this');
const OWN_SCHEMA = cannot('it looks for the schema of its own tool');
const NO_SESSIONS = cannot(
  'served without sessions, so that there is no stream to resume or to share; the runner only warns',
);
const NO_LOGGING = cannot('the logging of the protocol is deprecated and not offered; logs go to the operator');

/** What is the same in both revisions. */
const OF_BOTH: Record<string, Expected> = {
  'completion-complete': NO_COMPLETIONS,
  'dns-rebinding-protection': 'passes',
  'json-schema-2020-12': OWN_SCHEMA,
  'prompts-get-embedded-resource': OWN_PROMPT,
  'prompts-get-simple': OWN_PROMPT,
  'prompts-get-with-args': OWN_PROMPT,
  'prompts-get-with-image': OWN_PROMPT,
  'prompts-list': 'passes',
  'resources-list': 'passes',
  'resources-read-binary': OWN_RESOURCE,
  'resources-read-text': OWN_RESOURCE,
  'resources-templates-read': OWN_RESOURCE,
  'tools-call-audio': TEXT_ALONE,
  'tools-call-embedded-resource': TEXT_ALONE,
  'tools-call-error': 'passes',
  'tools-call-image': TEXT_ALONE,
  'tools-call-mixed-content': TEXT_ALONE,
  'tools-call-simple-text': 'passes',
  'tools-call-with-progress': NO_PROGRESS,
  'tools-list': 'passes',
};

const SCENARIOS: Record<string, Record<string, Expected>> = {
  '2026-07-28': {
    ...OF_BOTH,
    caching: 'passes',
    'http-custom-header-server-validation': cannot(
      'no tool mirrors an argument into a header, which servers may leave out',
    ),
    'http-header-validation': 'passes',
    'input-required-result-basic-elicitation': OWN_FORM,
    'input-required-result-basic-list-roots': NOT_ASKED,
    'input-required-result-basic-sampling': NOT_ASKED,
    'input-required-result-capability-check': cannot(
      'it waits to be asked for sampling; that clients which cannot be asked are not is in mcp-approvals.spec.ts',
    ),
    'input-required-result-ignore-extra-params': OWN_FORM,
    'input-required-result-missing-input-response': 'passes',
    'input-required-result-multi-round': 'passes',
    'input-required-result-multiple-input-requests': NOT_ASKED,
    'input-required-result-non-tool-request': OWN_PROMPT,
    'input-required-result-request-state': 'passes',
    'input-required-result-result-type': 'passes',
    'input-required-result-tampered-state': 'passes',
    'input-required-result-unsupported-methods': 'passes',
    'input-required-result-validate-input': 'passes',
    'sep-2164-resource-not-found': 'passes',
    'server-sse-multiple-streams': 'passes',
    'server-stateless': {
      but: {
        'sep-2575-server-rejects-undeclared-capability': 'no tool needs a capability of its client',
        'sep-2575-missing-capability-http-400': 'no tool needs a capability of its client',
      },
    },
  },
  '2025-11-25': {
    ...OF_BOTH,
    'elicitation-sep1034-defaults': OWN_FORM,
    'elicitation-sep1330-enums': OWN_FORM,
    'logging-set-level': NO_LOGGING,
    ping: 'passes',
    'resources-subscribe': NO_UPDATES,
    'resources-unsubscribe': NO_UPDATES,
    'server-initialize': 'passes',
    'server-session-lifecycle': 'passes',
    'server-sse-multiple-streams': NO_SESSIONS,
    'server-sse-polling': NO_SESSIONS,
    'tools-call-elicitation': NOT_ASKED,
    'tools-call-sampling': NOT_ASKED,
    'tools-call-with-logging': NO_LOGGING,
  },
};

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

let api: TestApi;
let tools: TestTools;
let proxy: ConformanceProxy;
const results = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
beforeAll(async () => {
  api = await startApi();
  tools = await startTools(api, { env: { SVC_TOOLS_RATE_LIMIT: '0' } });
  const approver = await anotherKey(api, api.tenant);
  proxy = await startConformanceProxy({ toolsUrl: tools.url, asker: api.tenant, approver });
  await expectStatus(
    201,
    api.tenant.call('POST', '/v1/shield/kill-switches', {
      scope: 'action',
      target: 'submit_feature_request',
      mode: 'require_approval',
      reason: 'Requests are reviewed',
    }),
  );
});
afterAll(async () => {
  await proxy.close();
  await tools.close();
  await api.close();
  rmSync(results, { recursive: true, force: true });
});

/** Gives answers half a second, which a loaded machine may not keep to: it is run again before it counts as failed. */
const IMPATIENT = 'server-stateless';
const MAX_TRIES = 4;

/** All of the runner's scenarios for servers of a revision, extensions left out. @returns the checks of each */
async function runAll(revision: string, expected: Record<string, Expected>): Promise<Map<string, Check[]>> {
  const ran = await run(revision, 'all', ['--suite', 'all']);
  for (let tries = 1; tries < MAX_TRIES && !isAsExpected(ran.get(IMPATIENT), expected[IMPATIENT]); tries += 1)
    ran.set(IMPATIENT, (await run(revision, `again-${tries}`, ['--scenario', IMPATIENT])).get(IMPATIENT)!);
  return ran;
}

async function run(revision: string, name: string, which: string[]): Promise<Map<string, Check[]>> {
  const out = join(results, revision, name);
  const args = ['server', '--url', `${proxy.url}/mcp`, ...which, '--spec-version', revision, '-o', out];
  const runner = spawn(process.execPath, [RUNNER, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed] = await Promise.all([text(runner.stdout), text(runner.stderr)]);
  const found = globSync('*/checks.json', { cwd: out }).map((file): [string, Check[]] => [
    /^server-(.*)-\d{4}-\d{2}-\d{2}T/.exec(file)![1]!,
    JSON.parse(readFileSync(join(out, file), 'utf8')) as Check[],
  ]);
  if (found.length === 0) throw new Error(`the conformance runner ran nothing: ${printed}`);
  return new Map(found);
}

function isAsExpected(checks: Check[] | undefined, expected: Expected | undefined): boolean {
  const but = typeof expected === 'object' && 'but' in expected ? Object.keys(expected.but) : [];
  return checks === undefined || wrong(checks).every(({ id }) => but.includes(id));
}

const wrong = (checks: Check[] = []) => checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');

describe.each(Object.keys(SCENARIOS))(
  'the conformance runner of the Model Context Protocol, revision %s',
  (revision) => {
    const expected = SCENARIOS[revision]!;
    let ran: Map<string, Check[]>;
    beforeAll(async () => {
      ran = await runAll(revision, expected);
    }, 300_000);

    it('has the scenarios that are known here, and no other', () => {
      expect([...ran.keys()].sort()).toEqual(Object.keys(expected).sort());
    });

    const named = (is: (one: Expected) => boolean) => Object.keys(expected).filter((name) => is(expected[name]!));

    it.each(named((one) => one === 'passes'))('%s passes', (scenario) => {
      expect(wrong(ran.get(scenario))).toEqual([]);
    });

    it.each(named((one) => one !== 'passes' && 'but' in one))('%s passes, but for what cannot apply', (scenario) => {
      const { but } = expected[scenario] as { but: Record<string, string> };
      const checks = ran.get(scenario)!;
      expect(wrong(checks).map(({ id }) => id)).toEqual(Object.keys(but));
      expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(Object.keys(but).length);
    });

    // As soon as one of them passes it belongs to those that must.
    it.each(named((one) => one !== 'passes' && 'cannot' in one))('%s cannot apply', (scenario) => {
      expect(wrong(ran.get(scenario)).length).toBeGreaterThan(0);
    });
  },
);
