// The options that may be given at one place of the command line.
import type { AnyCommand, OptionDefinition } from '../command.ts';
import { globalOptions, helpOption, versionOption } from '../global-options.ts';

export interface KnownOption {
  /** Its key in the command's input. */
  key: string;
  /** `-h`, `--help`: all of its names. */
  names: readonly string[];
  description: string;
  /** `<n>`; undefined for a switch. */
  placeholder: string | undefined;
  /** `--no-...`. */
  isOpposite: boolean;
  definition: OptionDefinition<unknown>;
}

/** The command's own options, if it is known, and those of every command. */
export function optionsAt(path: readonly string[], command: AnyCommand | undefined): KnownOption[] {
  return known({
    ...command?.options,
    ...globalOptions,
    help: helpOption,
    ...(path.length === 0 && { version: versionOption }),
  });
}

/** Whether two options cannot be given together, or one is the opposite of the other. */
export function contradict(a: KnownOption, b: KnownOption): boolean {
  if (a.key === b.key) return a.names[0] !== b.names[0] && !Object.hasOwn(globalOptions, a.key);
  return [a.definition.conflicts?.includes(b.key), b.definition.conflicts?.includes(a.key)].includes(true);
}

function known(definitions: Record<string, OptionDefinition<unknown>>): KnownOption[] {
  return Object.entries(definitions).flatMap(([key, definition]) => {
    const { flags, description, negated } = definition;
    const names = flags.split(/[\s,]+/).filter((part) => part.startsWith('-'));
    const placeholder = /<.*>/.exec(flags)?.[0];
    const option = {
      key,
      names,
      description,
      placeholder,
      isOpposite: flags.startsWith('--no-'),
      definition,
    };
    if (negated === undefined) return [option];
    const opposite = names.map((name) => name.replace(/^--/, '--no-'));
    return [option, { ...option, names: opposite, description: negated, isOpposite: true }];
  });
}
