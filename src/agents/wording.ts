import { argumentsOf, inputName, isVariadic } from '../cli/command.ts';
import type { LoadedCommand } from '../cli/command-tree.ts';
import type { JsonValue } from '../lib/json.ts';
import { optionsForAgents, type Permissions, toolName } from './tools.ts';
import type { Input } from './words.ts';

export type Wording = (text: string, optionsToKeep?: ReadonlySet<string>) => string;

export function createWording(commands: readonly LoadedCommand[], permissions: Permissions): Wording {
  const longestFirst = commands.toSorted((a, b) => b.path.length - a.path.length);
  return (text, optionsToKeep) => {
    let isForPerson = false;
    const said = text
      // The repetitions are bounded, because a service may send a name that would otherwise take hours.
      .replace(/ ?To [^`.]{0,200} run `vals [^`]{0,200}--help`\./g, '')
      .replace(/`[^`]*`|(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?: <[^>]{1,50}>)?/g, (found, option?: string) => {
        if (option !== undefined) return optionsToKeep?.has(option) ? found : camelCase(option);
        if (!found.startsWith('`vals ')) return found;
        const words = found.slice('`vals '.length, -1);
        const command = longestFirst.find(({ path }) => words === path || words.startsWith(`${path} `));
        const tool = command && asTool(command, splitWords(words.slice(command.path.length)), permissions);
        if (tool !== undefined) return tool;
        isForPerson = true;
        return found;
      })
      .replace(/, or - for standard input/, '')
      .replace(/\b(?:code from )?standard input\b/gi, 'code');
    return isForPerson ? `${said} A person has to run that command: it is not a tool.` : said;
  };
}

/** A message may repeat an input, such as a file name that looks like an option. Code is never repeated. */
export function optionsIn({ code, ...input }: Input): Set<string> {
  const words = Object.values(input)
    .flat()
    .filter((value) => typeof value === 'string');
  return new Set(words.flatMap((word) => word.match(/(?<=--)[a-z]+(?:-[a-z]+)*/g) ?? []));
}

function asTool(
  command: LoadedCommand,
  words: readonly string[],
  permissions: Permissions,
): string | undefined {
  const options = optionsForAgents(command, permissions);
  const input: Record<string, JsonValue> = {};
  const values: string[] = [];
  const rest = words.filter((word) => word !== '--json');
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const flag = word;
    if (!flag.startsWith('--')) {
      values.push(flag);
      continue;
    }
    const option = options.find(([, { flags }]) => flags.split(' ')[0] === flag);
    if (option === undefined) return undefined;
    input[inputName(...option)] = option[1].flags.includes('<') ? (rest.shift() ?? '') : true;
  }
  const given = argumentInput(command, values);
  if (given === undefined) return undefined;
  const inputs = Object.entries({ ...given, ...input });
  if (inputs.length === 0) return `\`${toolName(command)}\``;
  const shown = inputs.map(([key, value]) => `"${key}": ${JSON.stringify(value)}`);
  return `\`${toolName(command)} {${shown.join(', ')}}\``;
}

function argumentInput(
  command: LoadedCommand,
  values: readonly string[],
): Record<string, JsonValue> | undefined {
  const input: Record<string, JsonValue> = {};
  const left = [...values];
  for (const [key, definition] of argumentsOf(command)) {
    const [first] = left;
    if (first === undefined) break;
    const words = left.splice(0, isVariadic(definition) ? left.length : 1);
    if (definition.canBeCode && first === '-') input.code = '...';
    else input[key] = isVariadic(definition) ? words : first;
  }
  return left.length === 0 ? input : undefined;
}

const splitWords = (line: string): string[] =>
  (line.match(/(?:'[^']*'|\\['\\]|[^\s'])+/g) ?? []).map((word) =>
    word.replace(
      /'([^']*)'|\\(['\\])/g,
      (_quoted, inside?: string, escaped?: string) => inside ?? escaped ?? '',
    ),
  );

const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
