import { spawnSync } from 'node:child_process';
import { UserError } from '../../common/user-error.js';

const MAX_OUTPUT = 2 ** 30;

/** @returns what git prints; undefined where it exits with a failure */
export function tryGit(args: readonly string[], input?: string): string | undefined {
  const { status, stdout, error } = spawnSync('git', args, {
    ...{ input: input ?? '', encoding: 'utf8', maxBuffer: MAX_OUTPUT, stdio: ['pipe', 'pipe', 'pipe'] },
  });
  if (error) throw new UserError(`Cannot run git: ${error.message}`);
  return status === 0 ? stdout : undefined;
}

/** @throws UserError where it fails */
export function git(args: readonly string[], input?: string): string {
  const output = tryGit(args, input);
  if (output === undefined) throw new UserError(`"git ${args.join(' ')}" fails here; is this a git repository?`);
  return output;
}
