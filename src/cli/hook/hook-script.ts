export const HOOKS = ['pre-commit', 'pre-push'] as const;
export type HookName = (typeof HOOKS)[number];

/** By this line a hook is known as ours. */
const MARK = '# svc hook:';

export const isOurs = (script: string): boolean => script.includes(`\n${MARK}`);

/** What was there before has this name, next to ours. */
export const keptName = (hook: HookName): string => `${hook}.before-svc`;

/**
 * The hook, for any POSIX shell. What was there before runs first, and its failure ends it; both are given what git
 * sends on standard input.
 * @param program the words that start svc
 */
export const hookScript = (hook: HookName, program: readonly [string, string]): string => `#!/bin/sh
${MARK} asks who holds the touched paths. Made by "svc hook install"; "svc hook uninstall" takes it away.
kept="$(dirname "$0")/${keptName(hook)}"
${hook === 'pre-push' ? 'input="$(cat)"' : 'input='}
feed() { if [ -n "$input" ]; then printf '%s\\n' "$input"; fi; }
if [ -x "$kept" ]; then
  feed | "$kept" "$@" || exit
fi
if [ -x ${quoted(program[0])} ] && [ -f ${quoted(program[1])} ]; then
  feed | ${program.map(quoted).join(' ')} hook run ${hook} "$@"
elif command -v svc >/dev/null 2>&1; then
  feed | svc hook run ${hook} "$@"
else
  echo 'svc: the program is not where it was; run "svc hook install" again, or "svc hook uninstall"' >&2
  case "$(git config svc.mode)" in '' | off | advisory) ;; *) exit 1 ;; esac
fi
`;

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
