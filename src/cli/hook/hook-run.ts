import { readFileSync } from 'node:fs';
import { UserError } from '../../common/user-error.js';
import { report, table, tableTime, type Line } from '../output.js';
import { askHolders, type HeldByOther, type Holders } from './ask-holders.js';
import { readHookConfig, readMode, type HookMode, type HookOptions } from './hook-config.js';
import type { HookName } from './hook-script.js';
import { pushedPaths, stagedPaths } from './touched-paths.js';

const PASSED = 0;
const REFUSED = 1;
const MAX_SHOWN = 20;
const WITHOUT: Record<HookName, string> = {
  'pre-commit': 'git commit --no-verify',
  'pre-push': 'git push --no-verify',
};

/** @returns the exit code that git goes by */
export async function runHook(hook: HookName, remote: string | undefined, options: HookOptions): Promise<number> {
  // All of it, so that git is never left writing to nobody.
  const updates = hook === 'pre-push' ? readFileSync(0, 'utf8') : '';
  try {
    const config = readHookConfig(options);
    if (config.mode === 'off') return PASSED;
    const paths = hook === 'pre-commit' ? stagedPaths() : pushedPaths(remote, updates);
    if (paths.length === 0) return PASSED;
    return judge(hook, config.mode, await askHolders(config, paths), paths.length);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return uncheckable(hook, options.mode, error.message);
  }
}

function judge(hook: HookName, mode: HookMode | undefined, answer: Holders, count: number): number {
  if (answer.isOff) {
    report('svc: punchcards are off on this server (SVCD_PUNCHCARD); nothing is checked');
    return PASSED;
  }
  const { held, isEnforced } = answer;
  if (held.length === 0) return PASSED;
  report(`svc: ${held.length} of ${count} paths are held by others`);
  for (const line of describe(held)) report(line);
  if (!(mode === undefined ? isEnforced : mode === 'enforce')) return PASSED;
  report(`svc: refused. Agree with the holder, or wait; "${WITHOUT[hook]}" goes round this check`);
  return REFUSED;
}

function describe(held: readonly HeldByOther[]): Line[] {
  const rows = held
    .slice(0, MAX_SHOWN)
    .map(({ path, holder_passport, mode, expires_at_unix_ms, resource }) => [
      ...[path, `${holder_passport} (${mode})`, tableTime(new Date(expires_at_unix_ms)), resource],
    ]);
  const more = held.length > MAX_SHOWN ? [`and ${held.length - MAX_SHOWN} more`] : [];
  return [...table(['PATH', 'HELD BY', 'UNTIL', 'PUNCHCARD OF'], rows), ...more];
}

/** A server that is away blocks nobody, unless that is asked for. */
function uncheckable(hook: HookName, given: HookMode | undefined, why: string): number {
  report(`svc: punchcards are not checked. ${why}`);
  if (!refusesUnchecked(given)) return PASSED;
  report(`svc: refused, since svc.mode is neither unset, advisory nor off; "${WITHOUT[hook]}" goes round this check`);
  return REFUSED;
}

/** A mode that is none may be a misspelt enforce. */
function refusesUnchecked(given: HookMode | undefined): boolean {
  try {
    return (given ?? readMode()) === 'enforce';
  } catch {
    return true;
  }
}
