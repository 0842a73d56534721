import type { LoadedCommand } from '../core/command-line/command.ts';
import { argumentsOf } from '../core/command-line/option-names.ts';
import { commandLine, optionWords } from '../core/command-line/shell-hints.ts';
import { createHintWriter, type HintInput, type WriteHints } from '../core/lib/hint.ts';
import type { JsonValue } from '../core/lib/json.ts';
import { quoteFor } from '../core/lib/shell-command.ts';
import type { Flags } from '../core/settings/settings.ts';
import { type AgentPermissions, isAllowed, optionsForAgents, toolName } from './tools.ts';

export interface ToolHintOptions {
  commands: readonly LoadedCommand[];
  permissions: AgentPermissions;
  platform: NodeJS.Platform;
  /** The command of the call, for hints about inputs to add. */
  current: LoadedCommand;
  flags: Flags;
  typedWords: ReadonlyMap<string, string>;
}

export function createToolHints(options: ToolHintOptions): WriteHints {
  const { commands, permissions, platform, current, flags, typedWords } = options;
  const quote = quoteFor(platform);
  return createHintWriter(({ text, command: path, input }) => {
    if (path === undefined && input === undefined) return text;
    const command = path === undefined ? current : commands.find((each) => each.path === path);
    if (command === undefined) return `${text}, a person has to run \`vals ${path}\`.`;
    const shown = isAllowed(command, permissions) ? toolInput(command, input, permissions) : undefined;
    if (path === undefined) {
      return shown === undefined
        ? `${text}, a person has to add ${optionWords(command, input ?? {}, quote).join(' ')}.`
        : `${text}, add the input \`${shown}\`.`;
    }
    if (shown === undefined) {
      return `${text}, a person has to run \`${commandLine(command, input ?? {}, flags, quote)}\`.`;
    }
    return `${text}, call \`${[toolName(command), shown].filter(Boolean).join(' ')}\`.`;
  }, typedWords);
}

/** Undefined if the tool lacks one of the inputs. */
function toolInput(
  command: LoadedCommand,
  input: HintInput = {},
  permissions: AgentPermissions,
): string | undefined {
  const left = new Map(Object.entries(input).filter(([key]) => key !== 'json'));
  const inputs: [string, JsonValue][] = [];
  for (const [key, { optional, repeatable, canBeCode }] of argumentsOf(command)) {
    const value = left.get(key);
    left.delete(key);
    const isCode = canBeCode && [value].flat().includes('-');
    if (isCode) inputs.push(['code', '...']);
    else if (value === true || (value === undefined && !optional))
      inputs.push([key, repeatable ? ['...'] : '...']);
    else if (value !== undefined) inputs.push([key, value]);
  }
  for (const [key, option] of optionsForAgents(command, permissions)) {
    const value = left.get(key);
    left.delete(key);
    const isPlaceholder = value === true && option.value !== undefined;
    if (value !== undefined) inputs.push([key, isPlaceholder ? '...' : value]);
  }
  if (left.size > 0) return undefined;
  const shown = inputs.map(([key, value]) => `"${key}": ${JSON.stringify(value)}`);
  return shown.length === 0 ? '' : `{${shown.join(', ')}}`;
}
