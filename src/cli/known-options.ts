import { type AnyCommand, type OptionDefinition, oppositeOf } from './command.ts';
import { globalOptions, helpOption, versionOption } from './global-options.ts';

export interface KnownOption {
  key: string;
  names: readonly string[];
  description: string;
  placeholder: string | undefined;
  definition: OptionDefinition<unknown>;
}

export function optionsAt(path: readonly string[], command: AnyCommand | undefined): KnownOption[] {
  const definitions: Record<string, OptionDefinition<unknown>> = {
    ...command?.options,
    ...globalOptions,
    help: helpOption,
    ...(path.length === 0 && { version: versionOption }),
  };
  return Object.entries(definitions).flatMap(([key, definition]) => {
    const { flags, description, negatedDescription } = definition;
    const names = flags.split(/[\s,]+/).filter((part) => part.startsWith('-'));
    const option = { key, names, description, placeholder: /<.*>/.exec(flags)?.[0], definition };
    if (negatedDescription === undefined) return [option];
    return [option, { ...option, names: names.map(oppositeOf), description: negatedDescription }];
  });
}

export function conflict(a: KnownOption, b: KnownOption): boolean {
  const excludes = ({ definition }: KnownOption, { key }: KnownOption) =>
    definition.conflicts?.includes(key) === true;
  return excludes(a, b) || excludes(b, a);
}
