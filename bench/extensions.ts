#!/usr/bin/env node
import { Command } from 'commander';
import wabt from 'wabt';
import { withTemporaryServer } from '../src/common/client/temporary-server.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { runChild } from './child.js';
import type { ProbePlan } from './health-probe.js';
import { quantile, toMicroseconds } from './measures.js';
import { milliseconds } from './report.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { figure, say } from './table.js';

/** The health answers within so many milliseconds, at the 99th percentile, whatever extensions do. */
const MAX_P99_MS = 100;
const EVERY_MS = 5;
const CALLERS = 4;

const HEADERS = {
  'content-type': 'application/json',
  'x-svc-scopes': 'admin:read facts:write',
  'x-svc-tenant-id': 'bench',
};

/** What is called: a module that behaves, and three that do not. */
const BODIES = {
  echo: ['1 1', '(call $output_write (i32.const 0) (call $input_len)) (i32.const 0)'],
  loop: ['1 1', '(loop $again (br $again)) (i32.const 0)'],
  allocate: [
    '1 512',
    `(loop $again (drop (memory.grow (i32.const 1)))
      (memory.fill (i32.const 0) (i32.const 7) (i32.mul (memory.size) (i32.const 65536))) (br $again)) (i32.const 0)`,
  ],
  trap: ['1 1', 'unreachable'],
} as const;
type Name = keyof typeof BODIES;
const NAMES = Object.keys(BODIES) as Name[];

interface Figures {
  p50: number;
  p99: number;
  slowest: number;
  asked: number;
  calls: Record<string, number>;
  /** Milliseconds of each answer, in their order. */
  samples: number[];
}

/** `npm run bench:extensions`: the health of the daemon while extensions loop, allocate and trap, against idle. */
const program = new Command('bench:extensions')
  .description('ask for the health of the memory daemon while extensions loop, allocate without end and trap')
  .option('--seconds <number>', 'of each phase', wholeNumber(1, 600), 20)
  .addOption(jsonOption())
  .action(async (options: { seconds: number } & JsonOption) => {
    const run = new BenchRun('extensions', options);
    const phases = await bench(options.seconds);
    const series = Object.entries(phases).map(([phase, { samples }]) => milliseconds(`health, ${phase}`, samples));
    run.print({ mostP99Ms: MAX_P99_MS, ...phases }, series);
    const late = Object.entries(phases).filter(([, { p99 }]) => p99 > MAX_P99_MS);
    for (const [phase, { p99 }] of late) say(`${phase}: p99 is ${figure(p99, 1)} ms, more than ${MAX_P99_MS}`);
    if (late.length > 0) process.exitCode = 1;
  });

async function bench(seconds: number): Promise<Record<string, Figures>> {
  const environment = {
    ...{ SVC_BUILD_FEATURES: 'wasm-extensions', SVCD_EXTENSION_CALLS_PER_MINUTE: '100000' },
    ...{ SVCD_EXTENSION_TIMEOUT_MS: '1000', SVCD_RATE_LIMIT_RPS: '0' },
  };
  return withTemporaryServer({ environment }, async ({ daemonUrl }) => {
    for (const name of NAMES) await register(daemonUrl, name);
    await measure(daemonUrl, { seconds: 2, names: ['echo'] });
    const phases: Record<string, Figures> = {};
    phases.idle = await measure(daemonUrl, { seconds, names: [] });
    for (const name of NAMES) phases[name] = await measure(daemonUrl, { seconds, names: [name] });
    phases.all = await measure(daemonUrl, { seconds, names: NAMES });
    // What else the machine does by then shows here.
    phases.idleAgain = await measure(daemonUrl, { seconds, names: [] });
    return phases;
  });
}

/** Calls extensions again and again, by some callers at once, while another process asks for the health. */
async function measure(url: string, { seconds, names }: { seconds: number; names: Name[] }): Promise<Figures> {
  say(names.length === 0 ? 'idle' : `calling ${names.join(', ')}`);
  const calls: Record<string, number> = {};
  let isOver = false;
  const callers = Array.from({ length: names.length === 0 ? 0 : CALLERS }, async (_, caller) => {
    for (let n = caller; !isOver; n++) {
      const name = names[n % names.length]!;
      const { status } = await post(url, `/v1/extensions/${name}/dispatch`, { input: 'hello' });
      const key = `${name} ${status}`;
      calls[key] = (calls[key] ?? 0) + 1;
    }
  });
  const plan: ProbePlan = { url, seconds, everyMs: EVERY_MS };
  const took = await runChild<ProbePlan, number[]>('health-probe', plan);
  isOver = true;
  await Promise.all(callers);
  const sorted = took.toSorted((a, b) => a - b);
  const ms = (value: number): number => Math.round(value * 100) / 100;
  return {
    ...{ p50: ms(quantile(sorted, 0.5)), p99: ms(quantile(sorted, 0.99)), slowest: ms(sorted.at(-1)!) },
    ...{ asked: took.length, calls, samples: took.map(toMicroseconds) },
  };
}

async function register(url: string, name: Name): Promise<void> {
  const { parseWat } = await wabt();
  const [memory, body] = BODIES[name];
  const text = `(module
    (import "svc" "input_len" (func $input_len (result i32)))
    (import "svc" "output_write" (func $output_write (param i32 i32)))
    (memory (export "memory") ${memory}) (func (export "run") (result i32) ${body}))`;
  const module_base64 = Buffer.from(parseWat(`${name}.wat`, text).toBinary({}).buffer).toString('base64');
  const answer = await post(url, '/v1/extensions', { extension_id: name, kind: 'wasm', module_base64 });
  if (answer.status !== 201) throw new Error(`${name} was not registered: ${await answer.text()}`);
  const { extension } = (await answer.json()) as { extension: { digest: string } };
  await post(url, `/v1/extensions/${name}/enable`, { digest: extension.digest });
}

async function post(url: string, path: string, body: object): Promise<Response> {
  const answer = await fetch(url + path, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
  return answer;
}

await program.parseAsync();
