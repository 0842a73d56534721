import { outputInPipe } from '../../../src/core/command-line/apply-definition.ts';
import type { LoadedCommand, Options } from '../../../src/core/command-line/command.ts';
import { groups } from '../../../src/core/command-line/command-tree.ts';
import {
  argumentsOf,
  flagsOf,
  formOf,
  formsOf,
  globalOptions,
  negatedName,
} from '../../../src/core/command-line/options.ts';

export function referenceOf(commands: readonly LoadedCommand[]): string {
  const shared = itemsOfMany(commands);
  return `${[
    '# Commands of vals',
    'Made from the command definitions by `npm run reference`; changes by hand are lost. What has no description in its place is described [at the end](#of-several-commands).',
    ...Object.entries(groups).flatMap(([key, title]) => [
      `## ${title.replace(/:$/, '')}`,
      ...commands.filter(({ group }) => group === key).flatMap((command) => sectionOf(command, shared)),
    ]),
    '## Of several commands',
    shared.join('\n'),
    '## Options of every command',
    optionsOf(globalOptions).join('\n'),
    '[Settings, names and exit codes](settings.md)',
  ].join('\n\n')}\n`;
}

/** What many commands say in the same words is said once, at the end. */
function itemsOfMany(commands: readonly LoadedCommand[]): string[] {
  const counts = new Map<string, number>();
  for (const each of commands.flatMap(itemsOf)) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= 5).map(([each]) => each);
}

const itemsOf = (command: LoadedCommand): string[] => [
  ...argumentsOf(command).map(([, definition]) => item(formOf(definition), definition.description)),
  ...optionsOf(command.options ?? {}),
];

function sectionOf(command: LoadedCommand, shared: readonly string[]): string[] {
  const { path, summary, description = `${summary}.`, details, examples, columns } = command;
  const forms = formsOf(command);
  const usage = command.passesThrough ? ['[options]', ...forms] : [...forms, '[options]'];
  const output = outputInPipe(columns);
  const items = itemsOf(command);
  const elsewhere = items
    .filter((each) => shared.includes(each))
    .map((each) => each.slice(2, each.indexOf(':')));
  const list = [
    ...items.filter((each) => !shared.includes(each)),
    ...(elsewhere.length > 0 ? [`- ${elsewhere.join(', ')}`] : []),
  ];
  return [
    `### vals ${path}`,
    text(details === undefined ? description : `${description}\n\n${details}`),
    `\`\`\`sh\n${['vals', path, ...usage].join(' ')}\n\`\`\``,
    ...(list.length > 0 ? [list.join('\n')] : []),
    ...(output ? [`${output}.`] : []),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ];
}

function optionsOf(options: Options): string[] {
  return Object.entries(options).flatMap(([key, definition]) => {
    const { description, value, negatable, default: fallback } = definition;
    const said = [
      description,
      ...(value?.acceptsOnlyWords ? [`one of ${value.schema.enum?.join(', ')}`] : []),
      ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ].join('; ');
    const opposite = negatable === undefined ? [] : [item(negatedName(key), negatable)];
    return [item(flagsOf(key, definition), said), ...opposite];
  });
}

const item = (term: string, description: string): string => `- \`${term}\`: ${text(description)}`;

const text = (sentence: string): string =>
  sentence
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '\\<') : part))
    .join('`');
