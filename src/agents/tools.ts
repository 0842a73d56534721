import {
  type ArgumentDefinition,
  argumentsOf,
  inputName,
  isVariadic,
  type OptionDefinition,
} from '../cli/command.ts';
import type { Effect, LoadedCommand } from '../cli/command-tree.ts';
import type { Permissions } from '../cli/context.ts';

type Property = {
  type: 'string' | 'boolean' | 'integer' | 'array';
  description: string;
  items?: { type: 'string' | 'integer' };
  minItems?: number;
  enum?: string[];
  default?: string | number | boolean;
};

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: {
    type: 'object';
    properties: Record<string, Property>;
    required: string[];
    additionalProperties: false;
  };
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

export const toolName = ({ path }: Pick<LoadedCommand, 'path'>): string => path.replaceAll(' ', '_');

export function isAllowed({ isTool, effect }: LoadedCommand, permissions: Permissions): boolean {
  if (!isTool || (permissions.readOnly && effect !== 'reads')) return false;
  if (effect === 'deletes') return permissions.allowDelete === true;
  return effect !== 'runs' || permissions.allowRun === true;
}

const readOnlyNote = 'This server is read-only.';
const deleteNote = 'To allow deletions, a person must start this server with --allow-delete.';
const runNote = 'To allow runs of code, a person must start this server with --allow-run.';

export function permissionNotes({ readOnly, allowDelete, allowRun }: Permissions): string[] {
  if (readOnly) return [readOnlyNote];
  return [...(allowDelete ? [] : [deleteNote]), ...(allowRun ? [] : [runNote])];
}

export function whyNotAllowed({ effect }: LoadedCommand, { readOnly }: Permissions): string[] {
  if (readOnly) return [readOnlyNote];
  return [effect === 'runs' ? runNote : deleteNote];
}

export function toolOf(command: LoadedCommand, permissions: Permissions): Tool {
  const { summary, description = `${summary}.`, details, effect } = command;
  const said = command.descriptionForAgents ?? [description, details].filter(Boolean).join(' ');
  const properties = { ...argumentProperties(command), ...optionProperties(command, permissions) };
  return {
    name: toolName(command),
    title: summary,
    description: said,
    inputSchema: {
      type: 'object',
      properties,
      required: argumentsOf(command).flatMap(([key, { form }]) => (form.startsWith('<') ? [key] : [])),
      additionalProperties: false,
    },
    annotations: annotationsOf(effect),
  };
}

const annotationsOf = (effect: Effect): Tool['annotations'] => ({
  readOnlyHint: effect === 'reads',
  destructiveHint: effect !== 'reads' && effect !== 'adds',
  idempotentHint: effect !== 'adds' && effect !== 'runs',
  openWorldHint: effect === 'runs',
});

function argumentProperties(command: LoadedCommand): Record<string, Property> {
  const properties: Record<string, Property> = {};
  for (const [key, definition] of argumentsOf(command)) {
    properties[key] = argumentProperty(definition);
    if (definition.canBeCode) {
      properties.code = { type: 'string', description: 'the code itself, instead of a file' };
    }
  }
  return properties;
}

function argumentProperty(definition: ArgumentDefinition<unknown>): Property {
  const { form, isNumber, description = '', descriptionForAgents = description } = definition;
  const type = isNumber ? 'integer' : 'string';
  if (!isVariadic(definition)) return { type, description: descriptionForAgents };
  const isRequired = form.startsWith('<');
  return {
    type: 'array',
    items: { type },
    ...(isRequired && { minItems: 1 }),
    description: descriptionForAgents,
  };
}

function optionProperties(command: LoadedCommand, permissions: Permissions): Record<string, Property> {
  const options = optionsForAgents(command, permissions);
  return Object.fromEntries(
    options.map(([key, option]): [string, Property] => [inputName(key, option), optionProperty(option)]),
  );
}

export const optionsForAgents = (
  { options = {} }: LoadedCommand,
  { allowDelete }: Permissions,
): [key: string, OptionDefinition<unknown>][] =>
  Object.entries<OptionDefinition<unknown>>(options).filter(
    ([, { hiddenFromAgents, deletes }]) => !hiddenFromAgents && (!deletes || allowDelete),
  );

function optionProperty(option: OptionDefinition<unknown>): Property {
  const { flags, description, negatedDescription, words, choices = words, isNumber, isRepeatable } = option;
  const { default: fallback } = option;
  if (!flags.includes('<')) {
    return {
      type: 'boolean',
      description: negatedDescription ? `${description}; false: ${negatedDescription}` : description,
    };
  }
  const type = isNumber ? 'integer' : 'string';
  if (isRepeatable) return { type: 'array', items: { type }, description };
  const known = typeof fallback === 'string' || typeof fallback === 'number';
  return { type, description, ...(choices && { enum: [...choices] }), ...(known && { default: fallback }) };
}
