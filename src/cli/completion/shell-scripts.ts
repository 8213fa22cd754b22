import type { Choice, KnownCommand, KnownOption } from './command-tree.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The script of a shell. @param commands the program first */
export function scriptFor(shell: Shell, commands: readonly KnownCommand[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

/** A word between single quotes, in which bash and zsh read nothing but the end. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** All commands but the program itself, as patterns of one `case`. */
const pathsOf = (commands: readonly KnownCommand[]): string =>
  commands
    .slice(1)
    .map(({ path }) => quoted(path))
    .join('|');

const valued = (commands: readonly KnownCommand[]): { path: string; option: KnownOption }[] =>
  commands.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => ({ path, option })),
  );

const wordsOf = ({ commands, options, choices }: KnownCommand): Choice[] => [
  ...commands,
  ...choices.map((name) => ({ name, about: '' })),
  ...options,
];

/** Both names of an option after its command, as patterns of a `case`. */
const asked = (path: string, { name, short }: KnownOption): string =>
  [name, ...(short === undefined ? [] : [short])].map((form) => quoted(`${path} ${form}`)).join('|');

/** Where there is nothing to choose from, bash completes names of files (`-o default`). */
function bashScript(commands: readonly KnownCommand[]): string {
  const values = valued(commands).map(
    ({ path, option }) => `    ${asked(path, option)}) words=${quoted(option.choices.join(' '))} ;;`,
  );
  const own = commands.map((command) => {
    const names = wordsOf(command).map(({ name }) => name);
    return `        ${quoted(command.path)}) words=${quoted(names.join(' '))} ;;`;
  });
  return `# bash completion of svc
_svc() {
  local at=svc words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${pathsOf(commands)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('\n')}
    *)
      case "$at" in
${own.join('\n')}
      esac
      ;;
  esac
  local word found=()
  for word in $words; do
    case "$word" in
      "\${COMP_WORDS[COMP_CWORD]}"*) found+=("$word") ;;
    esac
  done
  COMPREPLY=("\${found[@]}")
}
complete -o default -F _svc svc
`;
}

function zshScript(commands: readonly KnownCommand[]): string {
  const values = valued(commands).map(({ path, option }) => {
    const { choices } = option;
    const what = choices.length > 0 ? `found=(${choices.map(quoted).join(' ')})` : '_files; return';
    return `    ${asked(path, option)}) ${what} ;;`;
  });
  const described = ({ name, about }: Choice): string =>
    quoted(`${name.replaceAll(':', '\\:')}${about === '' ? '' : `:${about.replaceAll(':', '\\:')}`}`);
  const own = commands.map(
    (command) => `        ${quoted(command.path)}) found=(${wordsOf(command).map(described).join(' ')}) ;;`,
  );
  return `#compdef svc
# zsh completion of svc
_svc() {
  local at=svc i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      ${pathsOf(commands)}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT - 1]}" in
${values.join('\n')}
    *)
      case "$at" in
${own.join('\n')}
      esac
      ;;
  esac
  _describe svc found || _files
}
compdef _svc svc
`;
}

function fishScript(commands: readonly KnownCommand[]): string {
  /** In fish a backslash escapes within single quotes. */
  const text = (words: string): string => `'${words.replaceAll(/[\\']/g, '\\$&')}'`;
  const about = (words: string): string => (words === '' ? '' : ` -d ${text(words)}`);
  const lines = commands.flatMap((command) => {
    const at = `complete -c svc -n ${text(`test (__svc_at) = "${command.path}"`)}`;
    return [
      ...command.commands.map(({ name, about: words }) => `${at} -f -a ${text(name)}${about(words)}`),
      ...(command.choices.length > 0 ? [`${at} -f -a ${text(command.choices.join(' '))}`] : []),
      ...command.options.map(({ name, short, about: words, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a ${text(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `${at} -l ${name.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}${value}${about(words)}`;
      }),
    ];
  });
  return `# fish completion of svc
function __svc_at
  set -l at svc
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${commands
        .slice(1)
        .map(({ path }) => text(path))
        .join(' ')}
        set at "$at $word"
    end
  end
  echo $at
end
${lines.join('\n')}
`;
}
