import { type AnyCommand, negatedName, type OptionDefinition, optionName, placeholderOf } from './command.ts';
import { globalOptions, helpOption, versionOption } from './global-options.ts';

export interface KnownOption {
  key: string;
  names: readonly string[];
  description: string;
  placeholder: string | undefined;
  definition: OptionDefinition;
}

export function optionsAt(path: readonly string[], command: AnyCommand | undefined): KnownOption[] {
  const definitions: Record<string, OptionDefinition> = {
    ...command?.options,
    ...globalOptions,
    help: helpOption,
    ...(path.length === 0 && { version: versionOption }),
  };
  return Object.entries(definitions).flatMap(([key, definition]) => {
    const { short, description, negatable } = definition;
    const names = [...(short === undefined ? [] : [`-${short}`]), optionName(key)];
    const option = { key, names, description, placeholder: placeholderOf(definition), definition };
    if (negatable === undefined) return [option];
    return [option, { ...option, names: [negatedName(key)], description: negatable }];
  });
}

export function conflict(a: KnownOption, b: KnownOption): boolean {
  const excludes = ({ definition }: KnownOption, { key }: KnownOption) =>
    definition.conflicts?.includes(key) === true;
  return excludes(a, b) || excludes(b, a);
}
