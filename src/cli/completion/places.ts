// What can be typed where: each place of the command line with its commands, options and arguments.
import type { AnyCommand, ArgumentDefinition, OptionDefinition } from '../command.ts';
import { type CommandTree, globalOptions, namesOf } from '../commander.ts';

/** What fills an argument or follows an option: one of these words, a file, a val, or a text that only the user knows. */
export type Filler = readonly string[] | 'file' | 'val' | 'text';

export interface OfferedOption {
  /** `-h`, `--help`: all that mean the same. */
  names: readonly string[];
  description: string;
  /** Undefined for a switch. */
  filler: Filler | undefined;
}

export interface Place {
  /** The words that lead here: '', 'val', 'val get'. */
  path: string;
  commands: readonly { name: string; summary: string }[];
  /** Its own; those of every command are said once. */
  options: readonly OfferedOption[];
  arguments: readonly Filler[];
  /** The last argument may come again and again. */
  isOpenEnded: boolean;
}

export interface Places {
  places: readonly Place[];
  everywhere: readonly OfferedOption[];
}

/** What a placeholder of the help stands for: definitions have one word for one thing. */
const fillers: Record<string, Filler> = { file: 'file', paths: 'file', val: 'val' };

export function placesOf({ groups, topics }: CommandTree): Places {
  const commands = groups.flatMap(({ commands }) => commands);
  const named = commands.flatMap((command) => namesOf(command).map((path) => ({ path, command })));
  const below = (topic: string) =>
    named
      .filter(({ path }) => path.split(' ').slice(0, -1).join(' ') === topic)
      .map(({ path, command }) => ({ name: path.split(' ').at(-1) as string, summary: command.summary }));
  const topicWords = Object.entries(topics).map(([name, { summary }]) => ({ name, summary }));
  return {
    places: [
      {
        path: '',
        commands: [...below(''), ...topicWords],
        options: [{ names: ['--version'], description: 'print the version', filler: undefined }],
        arguments: [],
        isOpenEnded: false,
      },
      ...Object.keys(topics).map((path) => ({
        path,
        commands: below(path),
        options: [],
        arguments: [],
        isOpenEnded: false,
      })),
      ...named.map(({ path, command }) => placeOf(path, command)),
    ],
    everywhere: [
      ...offeredOptions(globalOptions),
      { names: ['-h', '--help'], description: 'show the help', filler: undefined },
    ],
  };
}

function placeOf(path: string, command: AnyCommand): Place {
  const definitions: ArgumentDefinition<unknown>[] = Object.values(command.arguments ?? {});
  return {
    path,
    commands: [],
    options: offeredOptions(command.options ?? {}),
    arguments: definitions.map(({ form, words }) => words ?? fillerOf(form)),
    isOpenEnded: definitions.at(-1)?.form.includes('...') ?? false,
  };
}

function offeredOptions(options: Record<string, OptionDefinition<unknown>>): OfferedOption[] {
  return Object.values(options).flatMap(({ flags, description, choices, words, negated }) => {
    const names = flags.split(/[\s,]+/).filter((part) => part.startsWith('-'));
    const takesWord = /[<[]/.test(flags);
    const offered = {
      names,
      description,
      filler: takesWord ? (choices ?? words ?? fillerOf(flags)) : undefined,
    };
    if (negated === undefined) return [offered];
    const opposite = names.map((name) => name.replace(/^--/, '--no-'));
    return [offered, { names: opposite, description: negated, filler: undefined }];
  });
}

function fillerOf(form: string): Filler {
  const placeholder = /[<[]([^\]>.]*)/.exec(form)?.[1] ?? '';
  return fillers[placeholder] ?? 'text';
}
