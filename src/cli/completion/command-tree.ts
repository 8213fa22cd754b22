import { Help, type Command, type Option } from 'commander';

export interface Choice {
  name: string;
  about: string;
}

export interface KnownOption extends Choice {
  /** The short form, with its hyphen. */
  short: string | undefined;
  takesValue: boolean;
  choices: readonly string[];
}

/** A command as a shell completes it. */
export interface KnownCommand {
  /** The words that lead to it: `svc tenant create`. */
  path: string;
  commands: Choice[];
  options: KnownOption[];
  /** What its first argument may be, where there is a choice. */
  choices: readonly string[];
}

/** A command and all below it. */
export function commandsOf(command: Command, above = ''): KnownCommand[] {
  const path = above === '' ? command.name() : `${above} ${command.name()}`;
  const help = new Help();
  const below = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  const known: KnownCommand = {
    path,
    commands: below.map((one) => ({ name: one.name(), about: firstPart(one.description()) })),
    options: help.visibleOptions(command).flatMap((option) => optionOf(option)),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [known, ...below.flatMap((one) => commandsOf(one, path))];
}

const optionOf = (option: Option): KnownOption[] =>
  option.long
    ? [
        {
          name: option.long,
          short: option.short ?? undefined,
          about: firstPart(option.description),
          takesValue: option.required || option.optional,
          choices: option.argChoices ?? [],
        },
      ]
    : [];

/** As much of a description as stands next to a word in a list. */
const firstPart = (text: string): string => text.split(/[;:(]/, 1)[0]!.trim();
