import type { AnyCommand, OptionDefinition } from './command.ts';
import { globalOptions, helpOption, versionOption } from './global-options.ts';
import { namesOf, negatedName, placeholderOf } from './option-names.ts';

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
    const { description, negatable } = definition;
    const option = {
      key,
      names: namesOf(key, definition),
      description,
      placeholder: placeholderOf(definition),
      definition,
    };
    if (negatable === undefined) return [option];
    return [option, { ...option, names: [negatedName(key)], description: negatable }];
  });
}
