import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../src/common/config/child-environment.js';

/** Nothing that the benchmarks measure at once takes this long. */
const MAX_MS = 300_000;

/** For a program that is run by {@link runChild}: takes its plan, sends its result, ends. */
export function answerPlan<Plan, Result>(work: (plan: Plan) => Promise<Result>): void {
  process.once('message', (plan) => {
    void work(plan as Plan)
      .then((result) => ({ result }))
      .catch((error: unknown) => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }))
      .then((answer) => process.send?.(answer, () => process.exit('error' in answer ? 1 : 0)));
  });
}

/** Runs one of this folder's programs in a process of its own, gives it a plan and returns its result. */
export function runChild<Plan extends object, Result>(
  program: string,
  plan: Plan,
  environment: Record<string, string> = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const file = fileURLToPath(new URL(`./${program}.js`, import.meta.url));
    const child = fork(file, {
      env: childEnvironment(environment),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), MAX_MS);
    child.once('message', (answer: { result: Result } | { error: string }) => {
      if ('error' in answer) reject(new Error(`${program}: ${answer.error}`));
      else resolve(answer.result);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`${program} ended without a result (${signal ?? `code ${code}`})`));
    });
    child.send(plan);
  });
}
