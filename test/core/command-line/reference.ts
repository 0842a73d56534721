import type { LoadedCommand, Options } from '../../../src/core/command-line/command.ts';
import { groups } from '../../../src/core/command-line/command-tree.ts';
import { outputInPipe } from '../../../src/core/command-line/help.ts';
import {
  argumentsOf,
  flagsOf,
  formOf,
  formsOf,
  globalOptions,
  negatedName,
} from '../../../src/core/command-line/options.ts';

export function referenceOf(commands: readonly LoadedCommand[]): string {
  return `${[
    '# Commands of vals',
    'Made from the command definitions by `npm run reference`; changes by hand are lost.',
    ...Object.entries(groups).flatMap(([key, title]) => [
      `## ${title.replace(/:$/, '')}`,
      ...commands.filter(({ group }) => group === key).flatMap(sectionOf),
    ]),
    '## Options of every command',
    optionList(globalOptions),
    '[Settings, names and exit codes](settings.md)',
  ].join('\n\n')}\n`;
}

function sectionOf(command: LoadedCommand): string[] {
  const { path, aliases = [], summary, description = `${summary}.`, details, examples, columns } = command;
  const definitions = argumentsOf(command).map(([, definition]) => definition);
  const forms = formsOf(command);
  const usage = command.passesThrough ? ['[options]', ...forms] : [...forms, '[options]'];
  const output = outputInPipe(columns);
  return [
    `### vals ${path}`,
    text(details === undefined ? description : `${description}\n\n${details}`),
    `\`\`\`sh\n${['vals', path, ...usage].join(' ')}\n\`\`\``,
    ...(aliases.length > 0 ? [`Also: ${aliases.map((alias) => `\`vals ${alias}\``).join(', ')}.`] : []),
    ...(definitions.length > 0
      ? [definitions.map((definition) => item(formOf(definition), definition.description)).join('\n')]
      : []),
    ...(Object.keys(command.options ?? {}).length > 0 ? [optionList(command.options)] : []),
    ...(output ? [`${output}.`] : []),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ];
}

function optionList(options: Options): string {
  return Object.entries(options)
    .flatMap(([key, definition]) => {
      const { description, value, negatable, default: fallback } = definition;
      const said = [
        description,
        ...(value?.acceptsOnlyWords ? [`one of ${value.schema.enum?.join(', ')}`] : []),
        ...(fallback === undefined ? [] : [`default: ${fallback}`]),
      ].join('; ');
      const opposite = negatable === undefined ? [] : [item(negatedName(key), negatable)];
      return [item(flagsOf(key, definition), said), ...opposite];
    })
    .join('\n');
}

const item = (term: string, description: string): string => `- \`${term}\`: ${text(description)}`;

const text = (sentence: string): string =>
  sentence
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '\\<') : part))
    .join('`');
